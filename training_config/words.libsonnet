// Words as the paper has them: vectors of 300 numbers, which training goes on to tune.
// For GloVe, override pretrained_file with a file or URL of 300-dimensional vectors.
{
  size: 300,
  indexer: { type: 'single_id', lowercase_tokens: true },
  embedder: { type: 'embedding', embedding_dim: $.size, pretrained_file: null },
}
