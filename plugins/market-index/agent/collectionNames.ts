import type { KnownName, NameBook } from "#core/plugin/NameBook.ts";
import { readKnownNames } from "#plugins/market-index/agent/sql/readKnownNames.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";

/**
 * Makes the book of names, slugs, former slugs and provider's slugs of all indexed collections. The
 * resolver says which collection one of them means.
 */
export function collectionNames({ db, indexed }: RouteContext["core"]): NameBook {
	return {
		async find(groups) {
			const chainIds = indexed.map(({ chain }) => chain.id);
			const names = await readKnownNames(db, { chainIds, names: groups });
			return new Map(names.map((name): [string, KnownName] => [name, { kind: "collection" }]));
		},
	};
}
