import type { OracleLab } from "#test/e2e/oracle/openOracleLab.ts";
import { until } from "#test/harness/until.ts";

/**
 * Counts the recipients of each collection whose owners no better source knows. One run counts for
 * a quarter of a second only, which covers few collections on a busy machine, so it runs until none
 * is left.
 */
export async function countRecipients({ lab }: OracleLab): Promise<void> {
	let left: string[] = [];
	await until(
		async () => {
			await lab.runJob("recipients");
			const rows = await lab.database.db.query<{ slug: string }>(
				`select slug from market_index.collection as c
				where not excluded and provider_owners is null and mints + sales > 0
					and not exists (
						select from market_index.recipients where collection_id = c.id
					)
					and not exists (
						select from market_index.ownership
						where collection_id = c.id and next_block > end_block and minted > 0
					)`,
			);
			left = rows.map(({ slug }) => slug);
			return left.length === 0;
		},
		() => `the recipients of ${left.slice(0, 5)} are counted`,
	);
}
