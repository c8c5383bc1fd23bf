-- The sessions of one instance, newest first, however many the company's other instances have.
create index kyc_sessions_instance on kyc_sessions (company_id, instance_id, created_at desc, id desc);
