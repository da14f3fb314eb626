from typing import Type

from allennlp.common import Registrable


def registered_name(base: Type[Registrable], thing: object) -> str:
    """The name that configs have for a thing of this role, or that of its class."""
    for name, (registered, _) in Registrable._registry[base].items():
        if registered is type(thing):
            return name
    return type(thing).__name__
