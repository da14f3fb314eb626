import runpy
import shutil
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
# Those that AllenNLP does not import are imported where they are used; slstm_allennlp/common/extras.py
# names the extra of one that is missing.
EXTRAS = {
    # The readers: CoNLL-U files, and spaCy's rules for splitting texts into words.
    "text": ["conllu>=4.4", "spacy>=3.3"],
    # `slstm compare`: significance tests, plots and report.
    "compare": ["scipy>=1.15", "matplotlib>=3.7", "jinja2>=3.0"],
    # Pretrained vectors (text files and word index) and the cache of BERT features.
    "vectors": ["pandas>=1.5", "pyarrow>=10", "lmdb>=1.2"],
    # The linear models: texts by scikit-learn, tags by CRFsuite.
    "linear": ["scikit-learn>=1.2", "python-crfsuite>=0.9.10"],
    # Tab completion in the shell: eval "$(register-python-argcomplete slstm)"
    "complete": ["argcomplete>=3.0"],
}


class BuildWithConfigs(build_py):
    """Add the configs and their sample corpora to the package when a wheel is built."""

    def run(self):
        super().run()
        if getattr(self, "editable_mode", False):
            return  # an editable install has them next to the package
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
    packages=find_packages(include=["slstm_allennlp", "slstm_allennlp.*", "slstm_cli"]),
    package_data={
        "slstm_allennlp.comparison": ["templates/*.jinja"],
        "slstm_allennlp.inside": ["page.html"],
        "slstm_allennlp.ops": ["elementwise.h", "*/kernels/cpu.cpp", "*/kernels/gpu/*.py"],
    },
    cmdclass={"build_py": BuildWithConfigs},
    entry_points={
        "console_scripts": ["slstm=slstm_cli:run"],
        # spaCy imports the module when a config names the encoder.
        "spacy_architectures": ["slstm.Encoder.v1=slstm_allennlp.spacy_encoder:slstm_encoder"],
    },
    python_requires=">=3.10",
    # AllenNLP is missing on purpose. Its own requirements cannot be satisfied on Python 3.11, and a
    # package cannot be required without them. requirements.txt and requirements-allennlp.txt install it.
    install_requires=[
        "torch>=1.12",
        "ninja>=1.10",  # drives the C++ compiler for the CPU kernels
    ],
    extras_require={
        **EXTRAS,
        "all": sorted({package for packages in EXTRAS.values() for package in packages}),
        # For AllenNLP with its own pins, on Python 3.10.
        "stock": [
            'allennlp==2.10.1; python_version < "3.11"',
            'allennlp-models==2.10.1; python_version < "3.11"',
            'numpy<2; python_version < "3.11"',
            'setuptools<81; python_version < "3.11"',
        ],
    },
)
