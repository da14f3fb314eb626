// Classify whole reviews with BERT's features instead of word vectors. The training settings are those
// of the re-implementation report: Adam, dropout 0.2 before and after the encoder, 20 epochs, and the
// epoch with the best dev score.
// `encoder` is a Seq2VecEncoder without its input_size.
local papers = import 'papers.libsonnet';

function(encoder) papers.classification(encoder) {
  // To use another BERT, override `model_name` below or write a two-line config. All sizes follow.
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
    namespace: 'utf8',  // that of the token indexer
    text_field_embedder: {
      token_embedders: {
        tokens: {
          type: 'transformer_features',
          model_name: $.bert.name,
          max_length: $.bert.max_length,
          train_parameters: false,  // true fine-tunes BERT
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
      // The learning rate of BERT, if it is fine-tuned. While it is frozen, AllenNLP warns that the group
      // matches no parameters.
      parameter_groups: [[['text_field_embedder'], { lr: 2e-5 }]],
    },
    learning_rate_scheduler: null,
    num_epochs: 20,
    patience: null,
  },
}
