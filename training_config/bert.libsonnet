// Reviews with BERT's features in the place of word vectors, trained as the re-implementation report has
// it: Adam, dropout of 0.2 before and after the encoder, 20 epochs, the best on dev.
// `encoder` is a Seq2VecEncoder without its input_size.
local papers = import 'papers.libsonnet';

function(encoder) papers.classification(encoder) {
  // Another BERT by a config of two lines, or by an override of `model_name` below. Sizes follow.
  //   (import 'training_config/mtl_bert_slstm.jsonnet')
  //   + { bert+:: { name: 'all-MiniLM-L6-v2' } }
  bert:: {
    name: 'bert-base-uncased',  // a package, a folder, or a name on the hub
    max_length: 512,  // word pieces; longer texts go through BERT in parts
  },

  dataset_reader: {
    type: 'review',
    dataset: 'books',
    token_indexers: { tokens: { type: 'utf8' } },
  },
  train_data_path: 'fixtures/mtl#train',
  validation_data_path: 'fixtures/mtl#dev',
  test_data_path: 'fixtures/mtl#test',

  model+: {
    namespace: 'utf8',  // of that indexer
    text_field_embedder: {
      token_embedders: {
        tokens: {
          type: 'transformer_features',
          model_name: $.bert.name,
          max_length: $.bert.max_length,
          train_parameters: false,  // true tunes BERT, too
        },
      },
    },
    seq2seq_encoder+: { dropout: 0.2 },
    dropout: 0.2,
  },

  trainer+: {
    optimizer: {
      type: 'adam',
      lr: 1e-3,
      // BERT's, where it is tuned. While it is frozen, AllenNLP warns that this matches nothing.
      parameter_groups: [[['text_field_embedder'], { lr: 2e-5 }]],
    },
    learning_rate_scheduler: null,
    num_epochs: 20,
    patience: null,
  },
}
