import { arweavePathOf } from "#plugins/market-index/metadata/tokenUri/arweavePathOf.ts";
import { dataUriTexts } from "#plugins/market-index/metadata/tokenUri/dataUriTexts.ts";
import type { Gateways } from "#plugins/market-index/metadata/tokenUri/Gateways.ts";
import { ipfsPathOf } from "#plugins/market-index/metadata/tokenUri/ipfsPathOf.ts";
import {
	DATA_URI_LENGTH_MAX,
	URL_LENGTH_MAX,
} from "#plugins/market-index/metadata/tokenUri/limits.ts";

/** One place where a document may be; `gateway` is set where that is one of the operator's. */
export type Candidate = { url: string; gateway: string | null };

export type UriPlan =
	/** The document is in the URI: these texts, the likeliest first. */
	| { kind: "held"; texts: string[] }
	/** The document is at one of these places, the best first. */
	| { kind: "fetched"; candidates: Candidate[] }
	| { kind: "unusable" };

/** Decides where to look for the document of a contract's URI. Makes no request. */
export function uriPlan(given: string, gateways: Gateways): UriPlan {
	if (given.length > DATA_URI_LENGTH_MAX) return { kind: "unusable" };
	const uri = given.trim();
	if (/^data:/i.test(uri)) {
		const texts = dataUriTexts(uri);
		return texts === null ? { kind: "unusable" } : { kind: "held", texts };
	}
	// Some contracts return the document itself.
	if (uri.startsWith("{")) return { kind: "held", texts: [uri] };
	if (uri.length > URL_LENGTH_MAX) return { kind: "unusable" };
	const url = uri.replaceAll(" ", "%20");
	const candidates: Candidate[] = [...onGateways(url, gateways)];
	if (/^https?:\/\//i.test(url)) candidates.push({ url, gateway: null });
	return candidates.length === 0 ? { kind: "unusable" } : { kind: "fetched", candidates };
}

function onGateways(url: string, { ipfs, arweave }: Gateways): Candidate[] {
	const path = ipfsPathOf(url);
	if (path !== null) return ipfs.map((gateway) => ({ url: gateway + path, gateway }));
	const transaction = arweavePathOf(url);
	return transaction === null ? [] : [{ url: arweave + transaction, gateway: arweave }];
}
