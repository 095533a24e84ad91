-- Retention of the feed: every deleted event was created before `pruned`, so that `earmark verify` can distinguish deleted events
-- from missing ones.

alter table event_head add column pruned timestamptz;

update event_head h set pruned = now()
where (select min(position) from event_feed f where f.account_id = h.account_id) > 1;
