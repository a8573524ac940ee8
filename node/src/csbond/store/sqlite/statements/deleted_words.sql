-- name: make_word_index
-- As `entry_words`, in a database of its own that lives as long as one question.
CREATE VIRTUAL TABLE text_words USING fts5 (words, content = '', tokenize = 'porter unicode61');

-- name: index_text
INSERT INTO text_words (rowid, words) VALUES (:row, :words);

-- name: texts_with_words
SELECT rowid FROM text_words WHERE text_words MATCH :match;
