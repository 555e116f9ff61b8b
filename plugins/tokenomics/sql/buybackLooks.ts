import { z } from "zod";
import type { Queryable } from "#core/db/Database.ts";

const left = z.array(
	z.object({
		currency: z.string(),
		symbol: z.string(),
		raw: z.string(),
		code: z.string(),
		detail: z.string(),
	}),
);

/** What the newest turn of the job came to. */
export type BuybackLook = {
	slot: number;
	at: Date;
	/** Why it spent nothing; null: it began a run. */
	code: string | null;
	detail: string | null;
	/** Revenue that was left where it is, by currency, and why. */
	left: readonly LeftShown[];
};

/** Revenue that was left where it is, as it is stored and shown. */
type LeftShown = z.output<typeof left>[number];

type Row = {
	slot: number;
	at: Date;
	code: string | null;
	detail: string | null;
	left_over: unknown;
};

/** The newest turn of each chain. */
export const buybackLooks = {
	/** Stores a turn, unless one of a later slot is there: a turn may end late. */
	async write(db: Queryable, look: BuybackLook & { chainId: number }): Promise<void> {
		await db.execute(
			`insert into tokenomics.buyback_look as last (chain_id, slot, at, code, detail, left_over)
			values ($1, $2, $3, $4, $5, $6)
			on conflict (chain_id) do update set slot = excluded.slot, at = excluded.at,
				code = excluded.code, detail = excluded.detail, left_over = excluded.left_over
			where last.slot <= excluded.slot`,
			[look.chainId, look.slot, look.at, look.code, look.detail, JSON.stringify(look.left)],
		);
	},

	async read(db: Queryable, chainId: number): Promise<BuybackLook | null> {
		const [row] = await db.query<Row>(
			"select slot, at, code, detail, left_over from tokenomics.buyback_look where chain_id = $1",
			[chainId],
		);
		if (!row) return null;
		const { slot, at, code, detail } = row;
		return { slot, at, code, detail, left: left.safeParse(row.left_over).data ?? [] };
	},
};
