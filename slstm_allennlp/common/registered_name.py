from typing import Type

from allennlp.common import Registrable


def registered_name(base: Type[Registrable], thing: object) -> str:
    """Return the registered name of an object's class, or the name of the class if it has none."""
    for name, (registered, _) in Registrable._registry[base].items():
        if registered is type(thing):
            return name
    return type(thing).__name__
