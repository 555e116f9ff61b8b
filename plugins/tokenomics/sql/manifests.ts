import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Address } from "#core/chain/Hex.ts";
import { hexOf } from "#core/chain/hexOf.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";

/** The contracts of the token on a chain, as an operator set them. */
export type Manifest = {
	chainId: number;
	/** Grows by one with each change; the first is 1. */
	version: number;
	token: Address;
	router: Address | null;
	burner: Address | null;
	owner: Address;
	fromBlock: number;
	setBy: string;
	setAt: Date;
};

type ManifestRow = Omit<Manifest, "token" | "router" | "burner" | "owner"> & {
	token: Uint8Array;
	router: Uint8Array | null;
	burner: Uint8Array | null;
	owner: Uint8Array;
};

/** Manifests by chain. Versions are never changed: the highest of a chain counts. */
export const manifests = {
	/** Returns the manifest in force; null where nobody set one. By the primary key, backward. */
	async read(db: Queryable, chainId: number): Promise<Manifest | null> {
		const [row] = await db.query<ManifestRow>(
			`select chain_id as "chainId", version, token, router, burner, owner,
				from_block as "fromBlock", set_by as "setBy", set_at as "setAt"
			from tokenomics.manifest where chain_id = $1 order by version desc limit 1`,
			[chainId],
		);
		if (!row) return null;
		return {
			...row,
			token: hexOf(row.token),
			router: row.router && hexOf(row.router),
			burner: row.burner && hexOf(row.burner),
			owner: hexOf(row.owner),
		};
	},

	/** Adds a version; false where it is there already, or the one before it is not. */
	async add(tx: Tx, manifest: Manifest): Promise<boolean> {
		const { chainId, version, token, router, burner, owner, fromBlock, setBy, setAt } = manifest;
		const added = await tx.execute(
			`insert into tokenomics.manifest
				(chain_id, version, token, router, burner, owner, from_block, set_by, set_at)
			select $1, $2::int4, $3, $4, $5, $6, $7, $8, $9
			where $2::int4 - 1 = coalesce(
				(select max(version) from tokenomics.manifest where chain_id = $1), 0)
			on conflict (chain_id, version) do nothing`,
			[
				...[chainId, version, bytesOf(token), router && bytesOf(router)],
				...[burner && bytesOf(burner), bytesOf(owner), fromBlock, setBy, setAt],
			],
		);
		return added === 1;
	},
};
