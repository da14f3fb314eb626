"""Few examples, the same in each run, or N new ones (2000) with HYPOTHESIS_PROFILE=thorough."""

import os

from hypothesis import HealthCheck, settings

_COMMON = {
    "deadline": None,  # the machine may have other work
    "database": None,
    "print_blob": True,
    "suppress_health_check": [HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
}
settings.register_profile("quick", max_examples=40, derandomize=True, **_COMMON)
settings.register_profile("thorough", max_examples=int(os.environ.get("N", 2000)), **_COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))
