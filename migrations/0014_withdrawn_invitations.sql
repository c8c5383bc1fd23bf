-- An invitation is worth what its maker may do. Of those made before this was so, some have makers who may not invite any more.
delete from invitations i
where not exists (
  select from users m where m.id = i.invited_by and m.company_id = i.company_id and m.role = 'owner'
);
