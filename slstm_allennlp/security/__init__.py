"""
Open untrusted archives and configs without running their code. SECURITY.md says what is promised and
what is not. Importing this package replaces nothing; entering `safe_archives` does.
"""

from slstm_allennlp.security.context import load_archive, safe_archives
