-- What strangers told before it was cleaned on its way in: URLs that no page may be handed, and
-- characters that turn text round. Names and traits were clean before. Words of events are not
-- touched here (millions of rows): they are cleaned when they are read.
create function market_index.is_hostile_url(url text) returns boolean
language sql immutable strict as $$
	select url !~* '^((https?|ipfs|ipns|ar)://|data:(image|video|audio)/)'
		or url ~ '[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]'
		-- Credentials.
		or url ~* '^(https?|ipfs|ipns|ar)://[^/?#]*@'
		-- A name of a local network, or an address: a public one is told again. What is read from a
		-- gateway of the operator's keeps its place.
		or (url ~* concat('^https?:[/\\]*($|\[|[0-9][0-9a-fx.]*([:/?#]|$)|[^./?#]+([:/?#]|$)',
				'|[^/?#:]*(localhost|localdomain|local|internal|intranet|lan|home\.arpa)\.?([:/?#]|$))')
			and url !~* '^https?://[^/?#@\\]+/ip[fn]s/')
$$;
--> statement-breakpoint
update market_index.collection set
	image_url = case when not market_index.is_hostile_url(image_url) then image_url end,
	banner_image_url = case when not market_index.is_hostile_url(banner_image_url)
		then banner_image_url end,
	external_url = case when not market_index.is_hostile_url(external_url) then external_url end
where market_index.is_hostile_url(image_url) or market_index.is_hostile_url(banner_image_url)
	or market_index.is_hostile_url(external_url);
--> statement-breakpoint
update market_index.token set
	image_url = case when not market_index.is_hostile_url(image_url) then image_url end,
	animation_url = case when not market_index.is_hostile_url(animation_url) then animation_url end
where market_index.is_hostile_url(image_url) or market_index.is_hostile_url(animation_url);
--> statement-breakpoint
-- The URI of a document that was read was no stranger's local address. Of a held one the kind is kept.
update market_index.token set token_uri = null
where source is distinct from 'chain' and market_index.is_hostile_url(token_uri)
	and token_uri !~* '^data:';
--> statement-breakpoint
update market_index.drop set image_url = null where market_index.is_hostile_url(image_url);
--> statement-breakpoint
update market_index.collection set description = regexp_replace(description,
	'[\u0001-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]',
	' ', 'g')
where description
	~ '[\u0001-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]';
--> statement-breakpoint
update market_index.token set description = regexp_replace(description,
	'[\u0001-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]',
	' ', 'g')
where description
	~ '[\u0001-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]';
--> statement-breakpoint
drop function market_index.is_hostile_url(text);
