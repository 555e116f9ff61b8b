// Pins the provider's contracts and solvers as they were first seen, and refuses a change.

import { concat, keccak256 } from "viem";
import { z } from "zod";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { anyCaseAddressSchema, anyCaseWordSchema } from "#core/chain/hexSchemas.ts";
import type { BridgeContext, ChainReader } from "#plugins/bridge/bridgeConfig.ts";
import type { RelayChain } from "#plugins/bridge/relay/Relay.ts";
import {
	FIRST_SEEN,
	insertPins,
	type Pin,
	type PinRole,
	pinCode,
	readPinRole,
	readPins,
} from "#plugins/bridge/sql/pins.ts";
import type { Denial } from "#plugins/wallets/contract.ts";

type PinContext = Pick<BridgeContext, "core" | "readers" | "alarm">;
/** Holds the parts of a published chain that are pinned. */
export type Published = Pick<
	RelayChain,
	"id" | "protocol" | "permits" | "solverAddresses" | "contracts"
>;
type Contract = { chainId: number; role: PinRole; address: Address };

/** Storage of a proxy (ERC-1967) that names what it runs, or who says what it runs. */
const IMPLEMENTATION = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
const BEACON = "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50";
/** `implementation()`. */
const IMPLEMENTATION_CALL = "0x5c60da1b";
/** Matches a minimal proxy (ERC-1167), whose code contains the address of its implementation. */
const MINIMAL = /^0x363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3$/;
const CODE_LENGTH_MAX = 200_000;

/** Names the provider's addresses in a sentence that refuses to pay them. */
const ROLE_NAMES: Readonly<Record<PinRole, string>> = {
	depository: "the contract that takes the bridge provider's deposits",
	proxy: "the contract that takes what was signed for the bridge provider",
	solver: "the account by which the bridge provider pays",
	filler: "a contract by which the bridge provider pays",
};

const codeSchema = z
	.string()
	.max(CODE_LENGTH_MAX)
	.regex(/^0x([0-9a-fA-F]{2})*$/)
	.transform((text): Hex => `0x${text.slice(2).toLowerCase()}`);
const wordAddress = anyCaseWordSchema.transform((word) =>
	anyCaseAddressSchema.parse(`0x${word.slice(-40)}`),
);

/**
 * Returns the pins of chains; a role that has no pin yet is pinned as it is published now. A
 * contract that is published later needs an operator's approval.
 */
export async function knownPins(
	{ core }: Pick<BridgeContext, "core">,
	chains: readonly Published[],
): Promise<Pin[]> {
	const pins = await readPins(
		core.db,
		chains.map(({ id }) => id),
	);
	const fresh = chains.flatMap(publishedOf).filter(({ chainId, role }) => {
		return !pins.some((pin) => pin.chainId === chainId && pin.role === role);
	});
	if (fresh.length === 0) return pins;
	const at = new Date(core.clock.nowMs());
	await insertPins(core.db, fresh, { by: FIRST_SEEN, at });
	return await readPins(
		core.db,
		chains.map(({ id }) => id),
	);
}

/**
 * Returns what a pinned address of the provider's is, for a sentence; null: none. What is sent
 * there for no order is nobody's any more.
 */
export async function pinnedName(
	{ core }: Pick<BridgeContext, "core">,
	place: Pick<Contract, "chainId" | "address">,
): Promise<string | null> {
	const role = await readPinRole(core.db, place);
	return role && ROLE_NAMES[role];
}

/** Returns the same for an address as the provider publishes a chain now. */
export function publishedName(chain: Published, address: Address): string | null {
	const found = publishedOf(chain).find((one) => one.address === address);
	return found ? ROLE_NAMES[found.role] : null;
}

/** Returns whether one of the provider's addresses is pinned on a chain in a role. */
const isPinned = (pins: readonly Pin[], { chainId, role, address }: Contract) =>
	pins.some((pin) => pin.chainId === chainId && pin.role === role && pin.address === address);

/**
 * Returns chains as the provider publishes them, with those solvers and contracts alone that are
 * pinned: an order that another one signed, or is to fill, is refused by the check of its quote.
 */
export function withPinned<Ends extends Record<string, RelayChain>>(
	ends: Ends,
	pins: readonly Pin[],
): Ends {
	const checked = Object.entries(ends).map(([name, chain]) => {
		const isKnown = (role: PinRole) => (address: Address) =>
			isPinned(pins, { chainId: chain.id, role, address });
		const depositories = chain.protocol ? [chain.protocol.depository] : [];
		const contracts = [
			...(chain.contracts ?? []).filter(isKnown("filler")),
			...depositories.filter(isKnown("depository")),
		];
		const solverAddresses = chain.solverAddresses.filter(isKnown("solver"));
		return [name, { ...chain, solverAddresses, contracts }];
	});
	return { ...ends, ...Object.fromEntries(checked) };
}

/**
 * Returns why an order of this solver is refused: the provider publishes it and it is not pinned.
 * Null where it is pinned, or not the provider's at all.
 */
export function solverDenial(
	context: PinContext,
	pins: readonly Pin[],
	{ chains, solver }: { chains: readonly RelayChain[]; solver: Address },
): Denial | null {
	const publishing = chains.filter(({ solverAddresses }) => solverAddresses.includes(solver));
	const contracts = publishing.map(({ id: chainId }) => {
		return { chainId, role: "solver", address: solver } as const;
	});
	const [first] = contracts;
	if (!first || contracts.some((one) => isPinned(pins, one))) return null;
	return changed(context, first, "is not one that was pinned");
}

/**
 * Returns why money may not go to the contracts that a quote pays, or that take what is signed;
 * null: it may.
 */
export async function contractsDenial(
	context: PinContext,
	pins: readonly Pin[],
	given: { origin: RelayChain; usePermit: boolean; signal: AbortSignal },
): Promise<Denial | null> {
	const { origin, usePermit, signal } = given;
	const { id: chainId, protocol, permits } = origin;
	const contracts: Contract[] = [
		...(protocol ? [{ chainId, role: "depository", address: protocol.depository } as const] : []),
		...(usePermit && permits
			? [{ chainId, role: "proxy", address: permits.spender } as const]
			: []),
	];
	const denials = await Promise.all(
		contracts.map((contract) => contractDenial(context, pins, { ...contract, signal })),
	);
	return denials.find((denial) => denial !== null) ?? null;
}

/** Returns why money may not go to a contract now, by what is pinned of its chain; null: it may. */
export async function pinnedDenial(
	context: PinContext,
	given: Contract & { signal: AbortSignal },
): Promise<Denial | null> {
	const pins = await readPins(context.core.db, [given.chainId]);
	return await contractDenial(context, pins, given);
}

/**
 * Returns why money may not go to a contract of the provider's: it is not the pinned one, has no
 * code, or another code than it had; null: it may. What cannot be read may not either.
 */
async function contractDenial(
	context: PinContext,
	pins: readonly Pin[],
	{ signal, ...contract }: Contract & { signal: AbortSignal },
): Promise<Denial | null> {
	const { chainId, role, address } = contract;
	const pin = pins.find((one) => {
		return one.chainId === chainId && one.role === role && one.address === address;
	});
	if (!pin) return changed(context, contract, "is not the one that was pinned");
	const read = context.readers.own(chainId);
	const codeHash = read === null ? null : await codeHashOf(read, address, signal);
	if (codeHash === null) {
		return { code: "chain_unavailable", detail: `The bridge's ${role} cannot be read now.` };
	}
	if (codeHash === "none") return changed(context, contract, "has no code");
	if (pin.codeHash === null) {
		await pinCode(context.core.db, { ...pin, codeHash });
		return null;
	}
	if (pin.codeHash === codeHash) return null;
	return changed(context, contract, `has another code, ${codeHash}`);
}

/**
 * Returns the hash of a contract's code, and of the code behind it where it is a proxy. Null: it
 * cannot be read now; `none`: there is no code.
 */
export async function codeHashOf(
	read: ChainReader,
	address: Address,
	signal: AbortSignal,
): Promise<Hex | "none" | null> {
	try {
		const codeOf = async (of: Address) =>
			codeSchema.parse(await read("eth_getCode", [of, "latest"], signal));
		const slotOf = async (slot: string) =>
			wordAddress.parse(await read("eth_getStorageAt", [address, slot, "latest"], signal));
		const [code, direct, beacon] = await Promise.all([
			codeOf(address),
			slotOf(IMPLEMENTATION),
			slotOf(BEACON),
		]);
		if (code === "0x") return "none";
		const minimal = MINIMAL.exec(code)?.[1];
		const named = minimal === undefined ? direct : anyCaseAddressSchema.parse(`0x${minimal}`);
		const behind =
			named === ZERO_ADDRESS && beacon !== ZERO_ADDRESS
				? wordAddress.parse(
						await read("eth_call", [{ to: beacon, data: IMPLEMENTATION_CALL }, "latest"], signal),
					)
				: named;
		if (behind === ZERO_ADDRESS) return keccak256(code);
		const inner = await codeOf(behind);
		return inner === "0x" ? "none" : keccak256(concat([code, behind, inner]));
	} catch {
		return null;
	}
}

function publishedOf(chain: Published): Pin[] {
	const { id: chainId, protocol, permits, solverAddresses, contracts = [] } = chain;
	const one = (role: PinRole, address: Address): Pin => ({
		chainId,
		role,
		address,
		codeHash: null,
	});
	return [
		...(protocol ? [one("depository", protocol.depository)] : []),
		...(permits ? [one("proxy", permits.spender)] : []),
		...solverAddresses.map((address) => one("solver", address)),
		...contracts.map((address) => one("filler", address)),
	];
}

function changed(context: PinContext, { chainId, role, address }: Contract, what: string): Denial {
	const detail = `The bridge's ${role} ${address} on chain ${chainId} ${what}.`;
	context.core.log.error("a contract of the bridge provider's is refused", { detail });
	context.alarm("contract_changed", `chain:${chainId}`);
	return { code: "contract_changed", detail };
}
