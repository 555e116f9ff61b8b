import { Client } from "pg";
import { socketUrl } from "#core/db/embedded/socketUrl.ts";

/**
 * Gives every stored event a provider's payload of 3 kB: as long and as repetitive as real ones, so
 * that a page of 200 is 640 kB and compresses to a tenth of it. Returns the contract of the
 * collection with the most events.
 */
export async function addPayloads(socketDir: string): Promise<string> {
	const client = new Client({ connectionString: socketUrl(socketDir), application_name: "bench" });
	await client.connect();
	try {
		await client.query(`update market_index.event set payload = ${PAYLOAD}`);
		const { rows } = await client.query<{ contract: string }>(
			`select '0x' || encode(address, 'hex') as contract from market_index.collection as c
			order by (select count(*) from market_index.event where collection_id = c.id) desc limit 1`,
		);
		const [most] = rows;
		if (!most) throw new Error("the index has no collection");
		return most.contract;
	} finally {
		await client.end();
	}
}

/** What differs from event to event is a hash of its place. */
const PAYLOAD = `jsonb_build_object(
	'event_type', 'sale', 'chain', 'ethereum', 'order_hash', '0x' || encode(block_hash, 'hex'),
	'protocol_address', '0x0000000000000068f116a894984e2db1123eb395',
	'image_url', 'https://images.example/raw/' || md5(log_index::text || token_id::text) || '.png',
	'nft', jsonb_build_object(
		'identifier', token_id::text, 'collection', 'tidal-cats', 'token_standard', 'erc721',
		'name', 'Tidal Cat #' || token_id::text,
		'description', repeat('A cat of the tidal pools, drawn by the sea and by nobody else. ', 14),
		'image_url', 'https://images.example/raw/' || md5(token_id::text) || '.png',
		'display_image_url', 'https://images.example/shown/' || md5(token_id::text) || '.avif?w=500',
		'metadata_url', 'https://metadata.example/tidal-cats/' || token_id::text || '.json',
		'updated_at', occurred_at::text, 'is_disabled', false, 'is_nsfw', false),
	'traits', (select jsonb_agg(jsonb_build_object(
			'trait_type', (array['Fur', 'Eyes', 'Hat', 'Whiskers', 'Tail', 'Pool', 'Tide', 'Moon'])[n],
			'value', 'Shade ' || (abs(hashtext(token_id::text || n)) % 40),
			'display_type', null, 'max_value', null, 'trait_count', abs(hashtext(n::text)) % 900))
		from generate_series(1, 8) as n),
	'payment', jsonb_build_object(
		'quantity', coalesce(total_raw, 0)::text, 'decimals', 18, 'symbol', 'ETH'))`;
