// Reads what accounts hold, did and realised, for other plugins: the newest page of each.

import type { AccountAsked, AccountBook } from "#plugins/market-index/accounts/AccountBook.ts";
import { type AccountReads, readActivity } from "#plugins/market-index/accounts/readActivity.ts";
import { readHoldings } from "#plugins/market-index/accounts/readHoldings.ts";
import { readResult } from "#plugins/market-index/accounts/readResult.ts";
import { chainsOf } from "#plugins/market-index/read/context.ts";

/** Makes the reads of accounts; each is bounded as its route is. */
export function createAccountBook(deps: AccountReads): AccountBook {
	const scopeOf = ({ chain, ...asked }: AccountAsked) => {
		return { ...asked, chains: chainsOf(deps.core, chain), after: null };
	};
	return {
		holdings: (asked) => readHoldings(deps, scopeOf(asked)),
		async activity({ type, since, until, ...asked }) {
			const query = { ...scopeOf(asked), type, since, until };
			const { data, coverage, next } = await readActivity(deps, query);
			return { data, coverage, hasMore: next !== null };
		},
		result: (asked) => readResult(deps, scopeOf(asked)),
	};
}
