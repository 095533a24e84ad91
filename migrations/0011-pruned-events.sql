-- What retention has taken from an account's feed: every event that is gone was of before `pruned`, so that `earmark verify`
-- can tell an event that was deleted on time from one that is missing.

alter table event_head add column pruned timestamptz;

update event_head h set pruned = now()
where (select min(position) from event_feed f where f.account_id = h.account_id) > 1;
