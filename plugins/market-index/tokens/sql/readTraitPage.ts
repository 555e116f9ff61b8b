import type { Queryable } from "#core/db/Database.ts";

export type TraitCount = {
	type: string;
	value: string;
	tokens: number;
	floorNative: string | null;
};

export type TraitPageQuery = {
	collectionId: number;
	/** Only this trait. */
	type: string | null;
	after: { type: string; value: string } | null;
	limit: number;
};

/** Returns counted values by trait, then value. By `trait_count_pkey`. */
export async function readTraitPage(db: Queryable, query: TraitPageQuery): Promise<TraitCount[]> {
	const { collectionId, type, after, limit } = query;
	return db.query<TraitCount>(
		`select trait_type as type, value, tokens, floor_native as "floorNative"
		from market_index.trait_count
		where collection_id = $1 and ($2::text is null or trait_type = $2::text)
			and ($3::text is null or (trait_type, value) > ($3::text, $4::text))
		order by trait_type, value limit $5`,
		[collectionId, type, after?.type ?? null, after?.value ?? null, limit],
	);
}
