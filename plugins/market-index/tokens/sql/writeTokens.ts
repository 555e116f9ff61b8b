import type { Tx } from "#core/db/Database.ts";
import { lockTokens } from "#plugins/market-index/tokens/sql/lockTokens.ts";
import type { TokenDocument } from "#plugins/market-index/tokens/TokenDocument.ts";

/** A token whose document was read. */
export type ReadToken = { tokenId: bigint; uri: string; uriHash: Uint8Array } & TokenDocument;

/**
 * Stores tokens' metadata; returns how many have other traits than before, and how many have
 * another URI. Only existing rows: a collection may have gone meanwhile. A token that was reported
 * as changed since the reading began is read once more.
 */
export async function writeTokens(
	tx: Tx,
	write: { collectionId: number; beganAt: Date; at: Date; tokens: readonly ReadToken[] },
): Promise<{ changed: number; swapped: number }> {
	const { collectionId, beganAt, at, tokens } = write;
	await lockTokens(tx, collectionId);
	const rows = await tx.query<{ changed: number; swapped: number }>(
		`with given as (
			select * from unnest($3::numeric[], $4::text[], $5::bytea[], $6::text[], $7::text[],
				$8::text[], $9::text[], $10::jsonb[])
				as given (token_id, uri, hash, name, description, image_url, animation_url, traits)
		), before as (
			select g.token_id, t.traits is distinct from g.traits as changed,
				t.token_uri_hash <> g.hash as swapped
			from given as g join market_index.token as t
				on t.collection_id = $1 and t.token_id = g.token_id
		), written as (
			update market_index.token as t set
				name = g.name, description = g.description, image_url = g.image_url,
				animation_url = g.animation_url, token_uri = g.uri, token_uri_hash = g.hash,
				traits = g.traits, source = 'chain', fetched_at = $2, failures = 0,
				failed_code = null, tried_at = $11, next_at = case when t.next_at > $11 then t.next_at end
			from given as g where t.collection_id = $1 and t.token_id = g.token_id
		)
		select count(*) filter (where changed)::int4 as changed,
			count(*) filter (where swapped)::int4 as swapped
		from before`,
		[
			collectionId,
			at,
			tokens.map(({ tokenId }) => tokenId),
			tokens.map(({ uri }) => uri),
			tokens.map(({ uriHash }) => uriHash),
			tokens.map(({ name }) => name),
			tokens.map(({ description }) => description),
			tokens.map(({ imageUrl }) => imageUrl),
			tokens.map(({ animationUrl }) => animationUrl),
			tokens.map(({ traits }) => (traits === null ? null : JSON.stringify(traits))),
			beganAt,
		],
	);
	return rows[0] ?? { changed: 0, swapped: 0 };
}
