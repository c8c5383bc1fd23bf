-- The uploads under way in a session.
create index kyc_file_uploads_session on kyc_file_uploads (session_id);
