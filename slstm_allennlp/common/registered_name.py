from typing import Any, Dict, Type

from allennlp.common import Registrable
from allennlp.common.from_params import infer_params


def registered_name(base: Type[Registrable], thing: object) -> str:
    """Return the registered name of an object's class, or the name of the class if it has none."""
    for name, (registered, _) in Registrable._registry[base].items():
        if registered is type(thing):
            return name
    return type(thing).__name__


def params_of(base: Type[Registrable], thing: Any, **others: Any) -> Dict[str, Any]:
    """Return the config of an object, which has each argument `name` as `_name`, besides the others."""
    names = infer_params(type(thing)).keys() - {"self", "kwargs", *others}
    own = {name: getattr(thing, f"_{name}") for name in sorted(names)}
    return {"type": registered_name(base, thing), **own, **others}
