import type { Gateways } from "#plugins/market-index/metadata/tokenUri/Gateways.ts";
import {
	parseTokenJson,
	type TokenMetadata,
} from "#plugins/market-index/metadata/tokenUri/parseTokenJson.ts";

/** Returns the first of the texts that is a document; null where none is. */
export function heldMetadata(texts: readonly string[], gateways: Gateways): TokenMetadata | null {
	for (const text of texts) {
		const metadata = parseTokenJson(text, gateways);
		if (metadata !== null) return metadata;
	}
	return null;
}
