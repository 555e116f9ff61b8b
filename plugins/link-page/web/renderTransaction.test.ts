import { expect, test } from "bun:test";
import { rowsOf, type TransactionShown } from "#plugins/link-page/web/renderTransaction.ts";

const who = (digit: string) => `0x${digit.repeat(40)}`;
const [WALLET, SELLER, MARKET, SEAPORT, NFT] = ["a", "b", "c", "d", "e"].map(who) as [
	string,
	string,
	string,
	string,
	string,
];
const anvil = { id: 31_337, slug: "anvil", name: "Anvil" };
const spend = { amount: "1", amountRaw: "1", symbol: "ETH", currency: who("0"), usd: null };
const some = { intentId: "i", chain: anvil, from: WALLET, spend, valueRaw: "1", planHash: "0xfa" };
const buy: TransactionShown = {
	...some,
	to: SEAPORT,
	recipient: null,
	data: "0xfb0f3ee1",
	payments: [
		{ recipient: SELLER, isSeller: true, amount: "0.99", symbol: "ETH" },
		{ recipient: MARKET, isSeller: false, amount: "0.01", symbol: "ETH" },
	],
	shown: {
		action: "nft_buy",
		summary: "Buys it.",
		chain: "anvil",
		marketplace: SEAPORT,
		function: "fulfillBasicOrder",
		orderHash: "0x77",
		seller: SELLER,
		contract: NFT,
		tokenId: "7",
		quantity: "1",
		standard: "erc721",
		recipient: WALLET,
		pays: {},
		payments: [],
	},
};
const transfer: TransactionShown = {
	...some,
	to: SELLER,
	recipient: SELLER,
	data: "0x",
	payments: [],
	shown: { action: "transfer", summary: "Sends it.", recipientIsContract: false },
};
const pairs = (rows: { label: string; text: string }[]) =>
	rows.map(({ label, text }) => `${label}: ${text}`);

test("[TRF-02] a purchase shows the item, each payment with its recipient, and the paying wallet", () => {
	expect(pairs(rowsOf(buy).main)).toEqual([
		`NFT contract: ${NFT}`,
		"Token id: 7",
		`To the seller: 0.99 ETH to ${SELLER}`,
		`Fee: 0.01 ETH to ${MARKET}`,
		`From: ${WALLET}`,
		"Network: Anvil (31337)",
	]);
});

test("a quantity of more than one is shown", () => {
	const { main } = rowsOf({ ...buy, shown: { ...buy.shown, quantity: "3" } });
	expect(pairs(main)).toContain("Quantity: 3");
});

test("technical facts are shown under the details, and once", () => {
	expect(pairs(rowsOf(buy).details)).toEqual([
		`Contract called: ${SEAPORT}`,
		"Function: fulfillBasicOrder",
		"Order hash: 0x77",
		"Standard: erc721",
		"Plan hash: 0xfa",
		"Data sent along: 0xfb0f3ee1",
	]);
});

test("a transfer shows its recipient, and no call data", () => {
	const { main, details } = rowsOf(transfer);
	expect(pairs(main)).toEqual([`To: ${SELLER}`, `From: ${WALLET}`, "Network: Anvil (31337)"]);
	expect(pairs(details)).toEqual(["Recipient is contract: no", "Plan hash: 0xfa"]);
});

test("a cancellation shows what it cancels, its nonce, and that it goes to the wallet's own address", () => {
	const shown = {
		...{ action: "cancel", summary: "Sends nothing.", cancels: "Sends 1 ETH.", nonce: "7" },
		...{ cancelsTransaction: "0x99", maxFeePerGas: "2 gwei", maxPriorityFeePerGas: "1 gwei" },
	};
	const { main, details } = rowsOf({ ...transfer, to: WALLET, recipient: WALLET, shown });
	expect(pairs(main)).toEqual([
		...["Cancels: Sends 1 ETH.", "Its transaction: 0x99", "Nonce: 7"],
		...[`To: ${WALLET}`, `From: ${WALLET}`, "Network: Anvil (31337)"],
	]);
	expect(pairs(details)).toEqual([
		...["Max fee per gas: 2 gwei", "Max priority fee per gas: 1 gwei", "Plan hash: 0xfa"],
	]);
});

test("a member in an unusual place is still shown", () => {
	const odd = { ...buy.shown, recipient: MARKET, marketplace: NFT };
	const told = pairs(rowsOf({ ...buy, payments: [], shown: odd }).details);
	expect(told).toContain(`Seller: ${SELLER}`);
	expect(told).toContain(`Goes to: ${MARKET}`);
	expect(told).toContain(`Marketplace: ${NFT}`);
});
