import runpy
import shutil
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent


class BuildWithConfigs(build_py):
    """Puts the configs and the sample corpora that they name into the package that a wheel installs."""

    def run(self):
        super().run()
        if getattr(self, "editable_mode", False):
            return  # they are beside the package
        for folder in ("training_config", "fixtures"):
            target = Path(self.build_lib) / "slstm_allennlp" / "bundled_files" / folder
            shutil.copytree(
                ROOT / folder,
                target,
                dirs_exist_ok=True,
                ignore=shutil.ignore_patterns("*.py", "__pycache__", "swap"),
            )


setup(
    name="slstm-allennlp",
    version=runpy.run_path(str(ROOT / "slstm_allennlp" / "version.py"))["__version__"],
    description="The sentence-state LSTM (Zhang, Liu and Song, ACL 2018) for AllenNLP",
    long_description=(ROOT / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    packages=find_packages(include=["slstm_allennlp", "slstm_allennlp.*"]),
    package_data={
        "slstm_allennlp.comparison": ["templates/*.jinja"],
        "slstm_allennlp.inside": ["page.html"],
        "slstm_allennlp.ops": ["elementwise.h", "*/kernels/cpu.cpp", "*/kernels/gpu/*.py"],
    },
    cmdclass={"build_py": BuildWithConfigs},
    entry_points={"console_scripts": ["slstm=slstm_allennlp.console.main:run"]},
    python_requires=">=3.10",
    # AllenNLP is not among them: its own requirements cannot be met on Python 3.11, and there is no way
    # to ask for a package without them. requirements.txt and requirements-allennlp.txt install it.
    install_requires=[
        "torch>=1.12",
        "conllu>=4.4",
        "spacy>=3.3",
        "ninja>=1.10",
        # Pretrained vectors (their text and index) and the cache of BERT's features.
        "pandas>=1.5",
        "pyarrow>=10",
        "lmdb>=1.2",
        # For `allennlp compare`: its tests of significance, pictures and report.
        "scipy>=1.15",
        "matplotlib>=3.7",
        "jinja2>=3.0",
    ],
    extras_require={
        # `linear_tagger`, a tagger to compare encoders with.
        "linear": ["python-crfsuite>=0.9.10"],
        # AllenNLP with its own pins, where they can be met.
        "stock": [
            'allennlp==2.10.1; python_version < "3.11"',
            'allennlp-models==2.10.1; python_version < "3.11"',
            'numpy<2; python_version < "3.11"',
            'setuptools<81; python_version < "3.11"',
        ],
    },
)
