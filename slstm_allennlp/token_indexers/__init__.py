from slstm_allennlp.token_indexers.utf8_indexer import Utf8Indexer, words_of
