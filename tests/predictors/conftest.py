import pytest
from allennlp.predictors import Predictor


@pytest.fixture(scope="package")
def predictors(tagger, entity_tagger, classifier, pair_classifier):
    folders = {"tagger": tagger, "entities": entity_tagger}
    folders.update(classifier=classifier, pairs=pair_classifier)
    return {name: Predictor.from_path(str(folder / "model.tar.gz")) for name, folder in folders.items()}
