from pathlib import Path

from setuptools import find_packages, setup

setup(
    name="slstm-allennlp",
    version="0.1.0",
    description="The sentence-state LSTM (Zhang, Liu and Song, ACL 2018) for AllenNLP",
    long_description=Path(__file__).with_name("README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    packages=find_packages(include=["slstm_allennlp", "slstm_allennlp.*"]),
    package_data={
        "slstm_allennlp.comparison": ["templates/*.jinja"],
        "slstm_allennlp.inside": ["page.html"],
        "slstm_allennlp.ops": ["elementwise.h", "*/kernels/cpu.cpp", "*/kernels/gpu/*.py"],
    },
    python_requires=">=3.10",
    # AllenNLP is not among them: its own requirements cannot be met on Python 3.11, and there is no way
    # to ask for a package without them. requirements.txt and requirements-allennlp.txt install it.
    install_requires=[
        "torch>=1.12",
        "conllu>=4.4",
        "spacy>=3.3",
        "ninja>=1.10",
        # For `allennlp compare`: its tests of significance, pictures and report.
        "scipy>=1.15",
        "matplotlib>=3.7",
        "jinja2>=3.0",
    ],
    extras_require={
        # AllenNLP with its own pins, where they can be met.
        "stock": [
            'allennlp==2.10.1; python_version < "3.11"',
            'allennlp-models==2.10.1; python_version < "3.11"',
            'numpy<2; python_version < "3.11"',
            'setuptools<81; python_version < "3.11"',
        ],
    },
)
