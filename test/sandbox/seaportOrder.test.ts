import { expect, test } from "bun:test";
import { hashTypedData, zeroAddress, zeroHash } from "viem";
import { addresses, conduitKey } from "./knownContracts.ts";
import { hashOrder, type OrderParameters } from "./seaportOrder.ts";

const item = [
	{ name: "itemType", type: "uint8" },
	{ name: "token", type: "address" },
	{ name: "identifierOrCriteria", type: "uint256" },
	{ name: "startAmount", type: "uint256" },
	{ name: "endAmount", type: "uint256" },
] as const;
const types = {
	OfferItem: item,
	ConsiderationItem: [...item, { name: "recipient", type: "address" }],
	OrderComponents: [
		{ name: "offerer", type: "address" },
		{ name: "zone", type: "address" },
		{ name: "offer", type: "OfferItem[]" },
		{ name: "consideration", type: "ConsiderationItem[]" },
		{ name: "orderType", type: "uint8" },
		{ name: "startTime", type: "uint256" },
		{ name: "endTime", type: "uint256" },
		{ name: "zoneHash", type: "bytes32" },
		{ name: "salt", type: "uint256" },
		{ name: "conduitKey", type: "bytes32" },
		{ name: "counter", type: "uint256" },
	],
} as const;
const domain = {
	name: "Seaport",
	version: "1.6",
	chainId: 31_337,
	verifyingContract: addresses.seaport,
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
	test(`the hand-made digest of ${name} is EIP-712's own`, () => {
		const message = { ...parameters, counter: 0n };
		const expected = hashTypedData({ domain, types, primaryType: "OrderComponents", message });
		expect(hashOrder(parameters)).toBe(expected);
	});
}
