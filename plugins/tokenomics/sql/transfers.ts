import { bytesOf } from "#core/chain/bytesOf.ts";
import { hexOf } from "#core/chain/hexOf.ts";
import type { Tx } from "#core/db/Database.ts";
import type { TransferEvent } from "#plugins/tokenomics/events/ledgerEvents.ts";
import type { OfToken } from "#plugins/tokenomics/sql/holders.ts";

const ROWS_AT_ONCE = 2_000;

/** Transfers since the last agreement, to be undone where there is none the next time. */
export const transfers = {
	async insert(tx: Tx, of: OfToken, rows: readonly TransferEvent[]): Promise<void> {
		for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
			const some = rows.slice(from, from + ROWS_AT_ONCE);
			await tx.execute(
				`insert into tokenomics.transfer
					(chain_id, token, block, log_index, from_address, to_address, amount)
				select $1, $2, b, l, f, t, a
				from unnest($3::int8[], $4::int4[], $5::bytea[], $6::bytea[], $7::numeric[])
					as rows (b, l, f, t, a)`,
				[
					...[of.chainId, bytesOf(of.token), some.map(({ block }) => block)],
					...[some.map(({ logIndex }) => logIndex), some.map((one) => bytesOf(one.from))],
					...[some.map(({ to }) => bytesOf(to)), some.map(({ amount }) => String(amount))],
				],
			);
		}
	},

	/** Reads a page of those above a block, in their order, behind a place. By the primary key. */
	async above(
		tx: Tx,
		{ chainId, token }: OfToken,
		{ block, logIndex, limit }: { block: number; logIndex: number; limit: number },
	): Promise<Pick<TransferEvent, "block" | "logIndex" | "from" | "to" | "amount">[]> {
		const rows = await tx.query<{
			block: number;
			logIndex: number;
			from: Uint8Array;
			to: Uint8Array;
			amount: string;
		}>(
			`select block, log_index as "logIndex", from_address as "from", to_address as "to",
				amount::text as amount from tokenomics.transfer
			where chain_id = $1 and token = $2 and (block, log_index) > ($3, $4)
			order by block, log_index limit $5`,
			[chainId, bytesOf(token), block, logIndex, limit],
		);
		return rows.map(({ from, to, amount, ...place }) => {
			return { ...place, from: hexOf(from), to: hexOf(to), amount: BigInt(amount) };
		});
	},

	async deleteAbove(tx: Tx, { chainId, token }: OfToken, block: number): Promise<void> {
		await tx.execute(
			"delete from tokenomics.transfer where chain_id = $1 and token = $2 and block > $3",
			[chainId, bytesOf(token), block],
		);
	},

	/** Deletes those up to an agreement: below it nothing is undone but as a whole. */
	async deleteUpTo(tx: Tx, { chainId, token }: OfToken, block: number): Promise<void> {
		await tx.execute(
			"delete from tokenomics.transfer where chain_id = $1 and token = $2 and block <= $3",
			[chainId, bytesOf(token), block],
		);
	},
};
