import type { Address } from "#core/chain/Hex.ts";

export type IssuerRow = Record<string, unknown>;

/** Returns a row of the issuer's list in the form of its site. */
export function issuerRow(symbol: string, address: Address, more: IssuerRow = {}): IssuerRow {
	return {
		id: `0x${Buffer.from(symbol).toString("hex").padEnd(64, "0")}`,
		tokenSymbol: symbol,
		tokenName: `${symbol} token`,
		tokenDecimals: 18,
		currentMultiplier: "1.000000000000000000",
		pendingMultiplier: "1.000000000000000000",
		status: "ASSET_STATUS_ACTIVE",
		deployments: [{ contractAddress: address, chainId: 4663, networkName: "robinhood" }],
		...more,
	};
}

/** Starts an issuer's server whose answer the test sets. */
export function startIssuerServer() {
	const state = { rows: [] as unknown[], answer: null as (() => Response) | null };
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch(request) {
			if (new URL(request.url).pathname !== "/rhj/assets") return new Response("", { status: 404 });
			return state.answer?.() ?? Response.json({ assets: state.rows });
		},
	});
	return { state, url: server.url.origin, stop: () => server.stop(true) };
}
