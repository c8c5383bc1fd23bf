-- What a publisher's slug looks like, anew: an `i` is the same as an `l` (src/marketplace/catalog/slugs-model.ts). Publishers that now
-- look like an older one stay, without a look.
alter table publishers drop constraint publishers_look_key;

update publishers p set look = case when made.place = 1 then made.look end
from (
  select id, looks.look, row_number() over (partition by looks.look order by created_at, id) as place
  from publishers, lateral (
    select translate(replace(slug, '-', ''), '012345789i', 'olzeastbgl') as look
  ) looks
) made
where made.id = p.id;

alter table publishers add constraint publishers_look_key unique (look);
