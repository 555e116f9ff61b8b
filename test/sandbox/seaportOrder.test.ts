import { expect, test } from "bun:test";
import { concatHex, hashDomain, keccak256, zeroAddress, zeroHash } from "viem";
import { hashOrder } from "#plugins/nft-buys/seaport/Order.ts";
import { addresses, conduitKey } from "./knownContracts.ts";
import { type OrderParameters, signingDigest } from "./seaportOrder.ts";

const domain = {
	name: "Seaport",
	version: "1.6",
	chainId: 31_337n,
	verifyingContract: addresses.seaport,
} as const;
const types = {
	EIP712Domain: [
		{ name: "name", type: "string" },
		{ name: "version", type: "string" },
		{ name: "chainId", type: "uint256" },
		{ name: "verifyingContract", type: "address" },
	],
} as const;
const amounts = { identifierOrCriteria: 7n, startAmount: 3n, endAmount: 3n };
const offered = { itemType: 3, token: addresses.weth, ...amounts } as const;
const asked = {
	...offered,
	itemType: 0,
	token: zeroAddress,
	recipient: addresses.marketFee,
} as const;
const order: OrderParameters = {
	offerer: addresses.marketFee,
	zone: zeroAddress,
	offer: [offered],
	consideration: [asked, { ...asked, startAmount: 10n ** 20n }],
	orderType: 1,
	startTime: 1_700_000_000n,
	endTime: 1_800_000_000n,
	zoneHash: zeroHash,
	salt: 2n ** 70n,
	conduitKey,
	totalOriginalConsiderationItems: 2n,
};

for (const [name, parameters] of Object.entries({
	"a listing": order,
	"an order that asks for nothing": { ...order, consideration: [] },
})) {
	test(`the hand-made digest of ${name} equals EIP-712's`, () => {
		const orderHash = hashOrder(parameters, 0n);
		const parts = ["0x1901", hashDomain({ domain, types }), orderHash] as const;
		expect(signingDigest(parameters)).toBe(keccak256(concatHex(parts)));
	});
}
