import type { TokenAdapter } from "#plugins/chain-scanner/contract.ts";

/**
 * Contracts that Seaport's items name in place of the token that they move.
 *
 * OpenSea's shared storefront on Ethereum is older than Seaport and cannot be moved by it, so
 * orders name an adapter: 9 of 514 real sales did.
 */
export const seaportAdapters: readonly TokenAdapter[] = [
	{
		adapter: "0xa604060890923ff400e8c6f5290461a83aedacec",
		token: "0x495f947276749ce646f68ac8c248420045cb7b5e",
	},
];
