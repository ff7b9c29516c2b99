-- name: audit_head
SELECT entry, hash FROM audit_head WHERE id = 1

-- name: move_audit_head
INSERT INTO audit_head (id, entry, hash) VALUES (1, :entry, :hash)
ON CONFLICT (id) DO UPDATE SET entry = excluded.entry, hash = excluded.hash

-- name: add_decision
INSERT INTO decisions (id, proposal_id, verdict, person_id, person_name, arguments_hash, at, version, note, hash)
VALUES (:id, :proposal_id, :verdict, :person_id, :person_name, :arguments_hash, :at, :version, :note, :hash)

-- name: entries_from
SELECT * FROM decisions WHERE id >= :first ORDER BY id LIMIT :limit

-- name: entries_between
SELECT * FROM decisions WHERE at >= :first AND at < :last ORDER BY at DESC, id DESC LIMIT :limit

-- name: unfounded_decision
SELECT id, state FROM proposals
WHERE state IN ('approved', 'executing', 'executed', 'uncertain', 'handed_over', 'denied') AND NOT EXISTS (
    SELECT 1 FROM decisions WHERE decisions.proposal_id = proposals.id
      AND decisions.arguments_hash = proposals.arguments_hash
      AND CASE proposals.state WHEN 'denied' THEN verdict = 'deny'
        ELSE verdict IN ('approve', 'send_again', 'was_sent') END
)
ORDER BY id LIMIT 1
