import { expect, test } from "bun:test";
import fc from "fast-check";
import { decodeFunctionData, encodeFunctionResult } from "viem";
import type { z } from "zod";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault.ts";
import { type BuyDeps, planBuy } from "#plugins/nft-buys/plan/planBuy.ts";
import { wireOrder } from "#plugins/nft-buys/seaport/encodeFilling.ts";
import { seaportAbi } from "#plugins/nft-buys/seaport/Order.ts";
import type { ProviderFulfilment, ProviderOrder } from "#plugins/provider/contract.ts";
import type { Plan, Preparation, Wallet } from "#plugins/wallets/contract.ts";
import { createFakeProvider, fakePrices } from "#test/harness/fakes.ts";
import { leavesOf, mutantsOf } from "#test/harness/mutantsOf.ts";
import { type Listed, sellListing } from "#test/harness/sellListing.ts";

const NOW_MS = Date.UTC(2026, 10, 21, 12);
const ETHER = 10n ** 18n;
const ANVIL = 31_337;
const NFT: Address = `0x${"c".repeat(40)}`;
const BUYER: Address = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const SELLER: Address = "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc";
const KEY = "0x0000007b02230091a7ed01230072f7006a004d60a8d4e71d599b8104250f0000";
const NO_KEY = `0x${"0".repeat(64)}`;
const wallet: Wallet = {
	id: "w",
	profileId: "p",
	address: BUYER,
	chainId: ANVIL,
	capability: "embedded/delegated",
	providerWalletId: "pw",
	notionalUsdMax: null,
	revision: 1,
};
const chains = createChainRegistry(builtinChains);

const isProving = process.env.PROVE === "1";
/** In `test` a third of the mutations runs; of each leaf, at least one. */
const isInSample = (_: unknown, index: number) => isProving || index % 3 === 0;

/** The provider's answers about one buy. */
type Said = { listing: ProviderOrder; fulfilment: ProviderFulfilment };
type Chain = { counter: bigint; cancelled: boolean; filled: bigint; size: bigint };
const OPEN: Chain = { counter: 0n, cancelled: false, filled: 0n, size: 0n };

const payments = [
	{ recipient: SELLER, raw: 95n * ETHER },
	{ recipient: `0x${"a".repeat(40)}` as Hex, raw: 2n * ETHER },
	{ recipient: `0x${"b".repeat(40)}` as Hex, raw: 3n * ETHER },
];
const single = await sellListing({
	seller: 2,
	token: { itemType: 2, contract: NFT, id: 77n },
	payments,
	nowMs: NOW_MS,
	salt: 12_345_678_901_234_567_890n,
});
const edition = await sellListing({
	seller: 2,
	token: { itemType: 3, contract: NFT, id: 78n, units: 10n },
	payments,
	nowMs: NOW_MS,
	salt: 98_765_432_109_876_543_210n,
});

const cases: { name: string; said: Said; quantity: bigint }[] = [
	{ name: "basic", said: saidOf(single, 1n), quantity: 1n },
	{ name: "advanced part", said: saidOf(edition, 3n), quantity: 3n },
	{ name: "advanced whole", said: saidOf(single, 1n, BUYER), quantity: 1n },
	{ name: "plain", said: plainOf(single), quantity: 1n },
];

function saidOf(listed: Listed, units: bigint, recipient?: Hex): Said {
	const options = recipient ? { recipient } : {};
	return { listing: listed.listing, fulfilment: listed.fulfilment(units, options) };
}

/** Returns the same buy by `fulfillOrder`, which the provider's emulator never chooses. */
function plainOf(listed: Listed): Said {
	const { listing, fulfilment } = saidOf(listed, 1n, BUYER);
	const { transaction } = fulfilment;
	const { advancedOrder, fulfillerConduitKey } = transaction.inputData as any;
	const { parameters, signature: signed } = advancedOrder;
	const inputData = { order: { parameters, signature: signed }, fulfillerConduitKey };
	const signature = transaction.function.match(/\(\((\(.*\)),uint120,uint120,bytes,bytes\)/)?.[1];
	const text = `fulfillOrder((${signature},bytes),bytes32)`;
	return {
		listing,
		fulfilment: { ...fulfilment, transaction: { ...transaction, function: text, inputData } },
	};
}

function ask(said: Said, quantity: bigint, chain: Chain = OPEN): Promise<Preparation> {
	const fake = createFakeProvider();
	fake.answers.slugOf = async () => "cats";
	fake.answers.bestListing = async () => said.listing;
	fake.answers.listingFulfilment = async () => said.fulfilment;
	const { counter, cancelled, filled, size } = chain;
	const answers = [
		encodeFunctionResult({
			abi: seaportAbi,
			functionName: "getOrderStatus",
			result: [true, cancelled, filled, size],
		}),
		encodeFunctionResult({ abi: seaportAbi, functionName: "getCounter", result: counter }),
	];
	const deps: BuyDeps = {
		clock: { nowMs: () => NOW_MS },
		chains,
		rpcOf: () => ({ batch: async () => answers }) as unknown as Rpc,
		provider: fake.provider,
		prices: fakePrices(chains),
	};
	const { tokenId } = quantity === 1n ? single.listing : edition.listing;
	return planBuy(deps, {
		channel: "api",
		chainId: ANVIL,
		wallet,
		outbound: (_step, call) => call(),
		signal: new AbortController().signal,
		request: {
			contract: NFT,
			tokenId: String(tokenId),
			quantity: String(quantity),
			priceLimitRaw: String(1_000n * ETHER),
			orderHash: null,
		},
	});
}

/**
 * Leaves that are not used: however they change, the plan stays the same to the last byte (the test
 * below checks that).
 */
const UNUSED: readonly [pattern: RegExp, why: string][] = [
	[/^listing\.(decimals|symbol)$/, "amounts are base units; what is shown comes from the chain"],
	[/^listing\.criteria$/, "a listing has none, and offers are not bought"],
	[/^listing\.protocolData\.signature$/, "the call's own signature is the one that counts"],
	[/^listing\.protocolData\.parameters\.counter$/, "left out: the chain's own is taken"],
	[/^fulfilment\.orders$/, "left out: repeats the call, and has nothing to contradict"],
	[/^fulfilment\.orders\[0\]\.signature$/, "left out or null: the call has its own"],
	[/^fulfilment\.orders\[0\]\.parameters\.counter$/, "left out: the chain's own is taken"],
];
/** Single mutations that change bytes, but not their effect. */
const MEANINGLESS: readonly [pattern: RegExp, how: RegExp, why: string][] = [
	[/calldataSuffix$/, /./, "attribution behind the calldata, which the marketplace never reads"],
	[/fulfillerConduitKey$/, /^is 0x0+$/, "no conduit: ours are native payments"],
	[/recipient$/, /^is 0x0+$/, "the zero address means the sender, and we write the wallet"],
];

for (const { name, said, quantity } of cases) {
	test(`[NFT-03] ${name}: the unmutated control is planned`, async () => {
		const control = await ask(said, quantity);
		expect(control.kind).toBe("plan");
		if (control.kind !== "plan") return;
		const { plan } = control;
		const total = 100n * ETHER;
		expect(plan.valueRaw).toBe(quantity === 3n ? (total * 3n) / 10n : total);
		expect(plan.spend.raw).toBe(plan.valueRaw);
		expect(plan.data.endsWith("5a4db0c5")).toBe(true);
	});

	test(`[NFT-03] ${name}: a change of any leaf, order or length is refused before signing`, async () => {
		const control = await ask(said, quantity);
		if (control.kind !== "plan") throw new Error("no control");
		const survivors: string[] = [];
		let refused = 0;
		for (const { path, how, value } of mutantsOf(said).filter(isInSample)) {
			if (!isTyped(said, value, path)) continue;
			const outcome = await outcomeOf(value, quantity);
			if (outcome.kind !== "plan") {
				refused += 1;
				continue;
			}
			const same = Bun.deepEquals(outcome.plan, control.plan);
			const unused = same && UNUSED.some(([pattern]) => pattern.test(path));
			const isMeaningless = MEANINGLESS.some(
				([pattern, manner]) => pattern.test(path) && manner.test(how),
			);
			const sameMeaning =
				isMeaningless && Bun.deepEquals(meaningOf(outcome.plan), meaningOf(control.plan));
			if (!unused && !sameMeaning) survivors.push(`${path} ${how}`);
		}
		expect(survivors).toEqual([]);
		expect(refused).toBeGreaterThan(isProving ? 300 : 100);
	});

	test(`${name}: any other amount, address or word is refused`, async () => {
		const leaves = mutantsOf(said).filter(({ how }) => how.startsWith("is "));
		const paths = [...new Set(leaves.map(({ path }) => path))].filter(
			(path) =>
				![...UNUSED, ...MEANINGLESS].some(([pattern]) => pattern.test(path)) &&
				/Raw|Amount|amount|[Ii]dentifier|token|recipient|offerer|salt|value|^listing.totalRaw/.test(
					path,
				),
		);
		await fc.assert(
			fc.asyncProperty(
				fc.constantFrom(...paths),
				fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
				async (path, random) => {
					const [first] = leaves.filter((one) => one.path === path);
					if (!first) return;
					const mutant = setAt(said, path, random);
					if (Bun.deepEquals(mutant, said)) return;
					expect((await outcomeOf(mutant, quantity)).kind).toBe("denied");
				},
			),
			{ numRuns: isProving ? 1_000 : 100 },
		);
	});
}

const UNTYPED = /inputData\.|orders\[|protocolData\./;
const NULLABLE =
	/(protocolAddress|contract|tokenId|currency|startsAtMs|expiresAtMs|calldataSuffix|protocolData)$/;

/**
 * Returns whether the adapter could return a mutant at all: it checks the type of every member,
 * except of those that it passes on unchanged.
 */
function isTyped(before: Said, after: Said, path: string): boolean {
	if (UNTYPED.test(path)) return true;
	const [was, is] = [at(before, path), at(after, path)];
	return typeof is === typeof was ? is !== null || NULLABLE.test(path) : false;
}

function at(value: unknown, path: string): unknown {
	const steps = path.replace(/\[(\d+)\]/g, ".$1").split(".");
	return steps.reduce<any>((inner, step) => inner?.[step], value);
}

/**
 * Returns a plan without its attribution and its conduit key, which have no effect on the wallet.
 */
function meaningOf(plan: Plan) {
	const { functionName, args } = decodeFunctionData({ abi: seaportAbi, data: plan.data });
	const keyless = JSON.stringify(args, (key, value) =>
		typeof value === "bigint" ? String(value) : key === "fulfillerConduitKey" ? null : value,
	).replaceAll(KEY, NO_KEY);
	return { ...plan, data: null, functionName, keyless };
}

/** Sets the random value in the form that the leaf has. */
function setAt(said: Said, path: string, random: bigint): Said {
	const copy = structuredClone(said) as never;
	const steps = path.replace(/\[(\d+)\]/g, ".$1").split(".");
	const last = steps.pop() ?? "";
	const holder = steps.reduce<Record<string, unknown>>(
		(at, step) => at[step] as Record<string, unknown>,
		copy,
	);
	const before = holder[last];
	const hex = random.toString(16).padStart(64, "0");
	if (typeof before === "bigint") holder[last] = random;
	else if (typeof before === "number") holder[last] = Number(random % 2n ** 53n);
	else if (typeof before === "string" && before.startsWith("0x")) {
		holder[last] = `0x${hex.slice(0, before.length - 2)}`;
	} else holder[last] = String(random);
	return copy;
}

/** Returns the outcome; a Fault becomes a refusal with its code, as in the execution path. */
async function outcomeOf(said: Said, quantity: bigint): Promise<Preparation> {
	try {
		return await ask(said, quantity);
	} catch (error) {
		if (!(error instanceof Fault)) throw error;
		return { kind: "denied", denial: { code: error.code, detail: error.publicDetail } };
	}
}

test("[NFT-03] every member that the schemas read is among the mutated leaves", () => {
	const mutated = new Set<string>();
	for (const { said } of cases) {
		for (const leaf of leavesOf(said)) mutated.add(leaf);
	}
	const at = (prefix: string, schema: z.ZodType) =>
		schemaLeaves(schema, prefix).filter((leaf) => !mutated.has(leaf));
	const input = "fulfilment.transaction.inputData";
	expect([
		...at(input, wireOrder.fulfillBasicOrder),
		...at(input, wireOrder.fulfillAdvancedOrder),
		...at(input, wireOrder.fulfillOrder),
		...at("fulfilment.orders[]", wireOrder.listed),
		...at("listing.protocolData", wireOrder.listed),
	]).toEqual([]);
});

/** Returns the leaves of a zod schema, as paths. */
function schemaLeaves(schema: unknown, path: string): string[] {
	const { def } = schema as { def: { type: string; [member: string]: unknown } };
	if (def.type === "object") {
		return Object.entries(def.shape as Record<string, unknown>).flatMap(([key, inner]) =>
			schemaLeaves(inner, `${path}.${key}`),
		);
	}
	if (def.type === "optional" || def.type === "nullable") return schemaLeaves(def.innerType, path);
	if (def.type !== "array") return [path];
	const element = def.element as { def: { type: string } };
	return element.def.type === "unknown" ? [path] : schemaLeaves(element, `${path}[]`);
}

test("the chain's state overrides the provider's: cancelled, sold, sold in part, another counter", async () => {
	const codes = async (chain: Partial<Chain>, quantity = 3n) => {
		const said = quantity === 3n ? cases[1]!.said : cases[0]!.said;
		const prepared = await ask(said, quantity, { ...OPEN, ...chain });
		return prepared.kind === "denied" ? prepared.denial.code : prepared.kind;
	};
	expect(await codes({ cancelled: true })).toBe("listing_gone");
	expect(await codes({ filled: 1n, size: 1n })).toBe("listing_gone");
	expect(await codes({ filled: 8n, size: 10n })).toBe("fulfilment_mismatch");
	expect(await codes({ filled: 7n, size: 10n })).toBe("plan");
	expect(await codes({ counter: 1n })).toBe("listing_gone");
	expect(await codes({ counter: 1n }, 1n)).toBe("listing_gone");
});

test("a fulfilment with tips, of many orders, or by another function is refused", async () => {
	const { said } = cases[0]!;
	const code = async (transaction: Partial<ProviderFulfilment["transaction"]>) => {
		const fulfilment = {
			...said.fulfilment,
			transaction: { ...said.fulfilment.transaction, ...transaction },
		};
		const prepared = await ask({ ...said, fulfilment }, 1n);
		return prepared.kind === "denied" ? prepared.denial.code : prepared.kind;
	};
	for (const name of ["matchOrders", "fulfillAvailableOrders", "transferFrom", "validate"]) {
		expect(await code({ function: `${name}((address,uint256))` })).toBe("fulfilment_function");
	}
	const { parameters } = wireOrder.fulfillBasicOrder.parse(said.fulfilment.transaction.inputData);
	const tip = { amount: ETHER, recipient: `0x${"e".repeat(40)}` };
	const additionalRecipients = [...parameters.additionalRecipients, tip];
	const inputData = {
		parameters: { ...asText(parameters), additionalRecipients: asText(additionalRecipients) },
	};
	expect(await code({ inputData, valueRaw: 101n * ETHER })).toBe("fulfilment_mismatch");
});

function asText(value: unknown): any {
	return JSON.parse(
		JSON.stringify(value, (_, one) => (typeof one === "bigint" ? String(one) : one)),
	);
}
