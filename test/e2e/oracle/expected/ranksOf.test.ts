import { expect } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { attributesOf, rankTokens } from "#test/e2e/oracle/expected/tokens.ts";
import { skipWithReason } from "#test/harness/skipWithReason.ts";

const VECTORS = join(import.meta.dir, "../../../../../shared/data/openrarity-vectors.json");

skipWithReason(existsSync(VECTORS) ? null : `${VECTORS} is not here`)(
	"ranks are those of OpenRarity's own tests",
	async () => {
		const { vectors } = await Bun.file(VECTORS).json();
		const ranking = vectors.filter((vector: any) => vector.ranking);
		expect(ranking.length).toBeGreaterThan(2);
		for (const { name, tokens, ranking: expected } of ranking) {
			const all = tokens.map(({ token_id: id, traits }: any) => ({
				id: String(id),
				has: attributesOf(
					Object.entries(traits).map(([trait_type, value]) => ({ trait_type, value })),
				),
			}));
			const ranks = rankTokens(all);
			for (const { token_id: id, rank } of expected) {
				expect({ name, id, rank: ranks.get(String(id)) }).toEqual({ name, id, rank });
			}
		}
	},
);
