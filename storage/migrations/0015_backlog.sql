-- The oldest update that waits to be handled for the first time: no burst that ends after it is over.
CREATE INDEX inbox_oldest ON inbox (received_at) WHERE state = 'new' AND attempts = 0;
