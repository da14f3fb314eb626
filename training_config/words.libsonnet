// Words as the paper has them: vectors of 300 numbers, which training goes on to tune.
// `vectors` makes them pretrained ones: "en_core_web_md", another package, a folder or a file (docs/vectors.md).
// Vectors of another size need `embedding_dim`, too; all other sizes follow.
{
  size: 300,
  indexer: { type: 'single_id', lowercase_tokens: true },
  embedder: { type: 'embedding', embedding_dim: $.size, vectors: null },
}
