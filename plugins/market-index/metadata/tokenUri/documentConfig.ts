import { z } from "zod";
import { commaList } from "#core/config/commaList.ts";
import { exactOrigin } from "#core/config/exactOrigin.ts";
import type { Gateways } from "#plugins/market-index/metadata/tokenUri/Gateways.ts";
import { GATEWAYS_MAX } from "#plugins/market-index/metadata/tokenUri/limits.ts";

/** A gateway, which has content below it, at `/ipfs/<cid>` or `/<transaction>`. */
const gatewayUrl = z
	.url({ protocol: /^https?$/ })
	.transform((url) => url.replace(/(\/ipfs)?\/*$/, ""))
	.refine((url) => new URL(url).username === "" && !/[?#]/.test(url), {
		message: "a gateway's URL has no credentials, query or fragment",
	});

/** The operator's settings of where documents of tokens and contracts are read. */
export const documentConfig = {
	IPFS_GATEWAY_URLS: commaList(gatewayUrl)
		.pipe(z.array(z.string()).max(GATEWAYS_MAX))
		.default(["https://ipfs.io", "https://dweb.link"])
		.meta({ expects: "http or https URLs, separated by commas, 8 at most" })
		.describe(
			"Gateways for IPFS, asked in this order until one answers; they may be on a private network.",
		),
	ARWEAVE_GATEWAY_URL: gatewayUrl
		.default("https://arweave.net")
		.meta({ expects: "an http or https URL" })
		.describe("The gateway for Arweave; it may be on a private network."),
	METADATA_ALLOWED_ORIGINS: commaList(exactOrigin)
		.default([])
		.meta({ expects: "origins, separated by commas, such as http://10.0.0.7:8080" })
		.describe(
			"Origins on private networks that tokens and contracts may name. Whoever deploys a " +
				"contract can have any of their paths fetched.",
		),
};

type DocumentConfig = { IPFS_GATEWAY_URLS: readonly string[]; ARWEAVE_GATEWAY_URL: string };

/** Returns the configured gateways. */
export function gatewaysOf(config: DocumentConfig): Gateways {
	return { ipfs: config.IPFS_GATEWAY_URLS, arweave: config.ARWEAVE_GATEWAY_URL };
}
