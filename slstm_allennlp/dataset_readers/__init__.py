from slstm_allennlp.dataset_readers.tagged_text_reader import TaggedTextReader

__all__ = ["TaggedTextReader"]
