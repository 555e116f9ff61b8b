import { parseArgs } from "node:util";
import { z } from "zod";

const Options = z.object({
	dataDir: z.string().min(1, "--data-dir DIR is needed"),
	seed: z.coerce.number().int().min(0).max(0xffff_ffff),
	/** Milliseconds between blocks; 0: no traffic, and each transaction is mined as it comes. */
	paceMs: z.coerce.number().int().min(0).max(3_600_000),
	historyBlocks: z.coerce.number().int().min(8).max(2_000),
	port: z.coerce.number().int().min(0).max(65_535),
	/** The marketplace provider's port, and its key; empty: no key is needed. */
	providerPort: z.coerce.number().int().min(0).max(65_535),
	providerKey: z.string().max(200),
	/** The wallet provider's port. */
	walletProviderPort: z.coerce.number().int().min(0).max(65_535),
	/** The bridge provider's port. */
	bridgePort: z.coerce.number().int().min(0).max(65_535),
	/** The language model's port. */
	modelPort: z.coerce.number().int().min(0).max(65_535),
	/** The port of the studio that reveals hidden collections. */
	studioPort: z.coerce.number().int().min(0).max(65_535),
	/** X's port. */
	socialPort: z.coerce.number().int().min(0).max(65_535),
	/** The ports of the issuer's list of stocks and of the hosted router. */
	issuerPort: z.coerce.number().int().min(0).max(65_535),
	routerPort: z.coerce.number().int().min(0).max(65_535),
});
export type Options = z.infer<typeof Options>;

/**
 * Parses the command line of the sandbox; throws with the reason if it is wrong. `bun run up` sets
 * the length of history by SANDBOX_HISTORY_BLOCKS.
 */
export function parseOptions(
	argv: string[],
	env: Readonly<Record<string, string | undefined>> = {},
): Options {
	const { values } = parseArgs({
		args: argv,
		options: {
			"data-dir": { type: "string", default: "" },
			seed: { type: "string", default: "7" },
			"pace-ms": { type: "string", default: "2000" },
			"history-blocks": { type: "string", default: env["SANDBOX_HISTORY_BLOCKS"] ?? "420" },
			port: { type: "string", default: "0" },
			"provider-port": { type: "string", default: "0" },
			"provider-key": { type: "string", default: "" },
			"wallet-provider-port": { type: "string", default: "0" },
			"bridge-port": { type: "string", default: "0" },
			"model-port": { type: "string", default: "0" },
			"studio-port": { type: "string", default: "0" },
			"social-port": { type: "string", default: "0" },
			"issuer-port": { type: "string", default: "0" },
			"router-port": { type: "string", default: "0" },
		},
	});
	return Options.parse({
		dataDir: values["data-dir"],
		seed: values.seed,
		paceMs: values["pace-ms"],
		historyBlocks: values["history-blocks"],
		port: values.port,
		providerPort: values["provider-port"],
		providerKey: values["provider-key"],
		walletProviderPort: values["wallet-provider-port"],
		bridgePort: values["bridge-port"],
		modelPort: values["model-port"],
		studioPort: values["studio-port"],
		socialPort: values["social-port"],
		issuerPort: values["issuer-port"],
		routerPort: values["router-port"],
	});
}
