// Starts the server that opens and reveals collections in the sandbox.

import {
	type Address,
	encodeDeployData,
	encodeFunctionData,
	getContractAddress,
	type Hex,
} from "viem";
import { z } from "zod";
import { compileContracts } from "../compileContracts.ts";
import { createRpc } from "../createRpc.ts";
import { type Calls, createFaultDesk, TRANSPORT_KINDS } from "../emulatorFaults.ts";
import { Fault } from "../provider/faults.ts";
import {
	openDocument,
	provenanceHashOf,
	REVEAL_NAMES,
	type RevealKind,
	type RevealName,
	revealAbi,
	revealKinds,
	revealOwner,
	revealSellers,
	type SentCall,
	sealedDocument,
	sendFrom,
	untilMined,
} from "./revealKinds.ts";

/** The faults of the document server, as `POST /_sandbox/faults` takes them. */
const StudioFault = z.discriminatedUnion("kind", [
	Fault.extend({ kind: z.enum(TRANSPORT_KINDS) }),
	/** It answers the document of the hidden token. */
	Fault.extend({ kind: z.literal("old_document") }),
]);

/** The most tokens whose URIs can change in one block. */
const EACH_MAX = 400;

const Opening = z
	.strictObject({
		kind: z.enum(REVEAL_NAMES),
		tokens: z.int().min(2).max(10_000).default(40),
		/** When it is revealed; without it only on request. */
		afterMs: z.int().min(0).max(3_600_000).optional(),
		/** For `one_by_one`: the time between tokens. */
		everyMs: z.int().min(0).max(60_000).default(200),
	})
	.refine(({ kind, tokens }) => kind !== "each" || tokens <= EACH_MAX, "at most 400 in a block");
export type Opening = z.input<typeof Opening>;
const Now = z.strictObject({ contracts: z.array(z.string()).max(100).optional() });

/** A collection that was opened here. */
export type Show = { contract: Address; kind: RevealName; tokens: number; isRevealed: boolean };

export type RevealStudio = {
	/** The base URL of its documents: METADATA_ALLOWED_ORIGINS. */
	url: string;
	open(opening: Opening): Promise<Show>;
	/** Reveals these collections, in one block if the miner allows it; without a list, all. */
	reveal(contracts?: readonly string[]): Promise<void>;
	shows(): Show[];
	fault(fault: z.input<typeof StudioFault>): void;
	clearFaults(): void;
	calls(): Calls;
	stop(): Promise<void>;
};

const PRICE_RAW = 5n * 10n ** 16n;
const MINTED_AT_ONCE_MAX = 200;

/** Adds to a collection what only this process knows, such as how many tokens are revealed. */
type Running = Show & { number: number; everyMs: number; opened: number };

/**
 * Opens hidden collections on demand, serves their documents, and reveals them in the requested
 * way. Documents depend on the path alone, except for those that are revealed one by one.
 */
export function startRevealStudio(options: { rpcUrl: string; port?: number }): RevealStudio {
	const rpc = createRpc(options.rpcUrl);
	const desk = createFaultDesk(StudioFault);
	const running: Running[] = [];
	const timers = new Set<ReturnType<typeof setTimeout>>();
	let opening: Promise<unknown> = Promise.resolve();

	const server = Bun.serve({
		hostname: "127.0.0.1",
		port: options.port ?? 0,
		idleTimeout: 0,
		fetch(request) {
			const { pathname } = new URL(request.url);
			if (pathname.startsWith("/_sandbox/reveals")) return control(request, pathname);
			return desk.serve(request, async (url) => documentAt(url.pathname));
		},
	});
	const origin = `http://127.0.0.1:${server.port}`;
	const send = (call: SentCall) => sendFrom(rpc, revealOwner, call);
	const baseOf = ({ number }: { number: number }) => `${origin}/${number}/open/`;

	/** Answers `/3/open/17`, `/3/sealed`, and for tokens revealed one by one `/3/own/17`. */
	function documentAt(path: string): Response {
		const [, number, part, id] = path.split("/");
		const show = running.find((one) => String(one.number) === number);
		// After a restart the progress is unknown: everything counts as revealed.
		const opened = part === "own" ? (show?.opened ?? Number.POSITIVE_INFINITY) : 0;
		const isOpen = part === "open" || (part === "own" && Number(id) <= opened);
		const isOld = desk.take(path, "old_document").length > 0;
		return Response.json(isOpen && !isOld ? openDocument(Number(id)) : sealedDocument);
	}

	async function deploy(given: z.output<typeof Opening>): Promise<Running> {
		const { kind, tokens, everyMs } = given;
		const { hasOwnUris }: RevealKind = revealKinds[kind];
		const number = running.length + 1;
		const nonce = await rpc.call("eth_getTransactionCount", [revealOwner, "pending"]);
		const address = getContractAddress({ from: revealOwner, nonce: BigInt(String(nonce)) });
		const contract: Address = `0x${address.slice(2).toLowerCase()}`;
		const base = hasOwnUris ? `${origin}/${number}/own/` : "";
		const hash = provenanceHashOf(tokens);
		const name = `Sealed ${kind.replaceAll("_", " ")} ${number}`;
		const bytecode = compileContracts().SandboxReveal.creation;
		const args = [name, `${origin}/${number}/sealed`, base, PRICE_RAW, hash] as const;
		const sent = [await send({ data: encodeDeployData({ abi: revealAbi, bytecode, args }) })];
		const part = Math.min(MINTED_AT_ONCE_MAX, Math.ceil(tokens / revealSellers.length));
		for (let minted = 0, turn = 0; minted < tokens; minted += part, turn++) {
			const to = revealSellers[turn % revealSellers.length]?.address ?? revealOwner;
			const quantity = BigInt(Math.min(part, tokens - minted));
			const minting = { abi: revealAbi, functionName: "mint", args: [to, quantity] } as const;
			sent.push(await send({ to: contract, data: encodeFunctionData(minting) }));
		}
		for (const each of sent) await untilMined(rpc, each);
		const show = { contract, kind, tokens, isRevealed: false, number, everyMs, opened: 0 };
		running.push(show);
		return show;
	}

	function later(ms: number, run: () => void): void {
		const timer = setTimeout(() => {
			timers.delete(timer);
			run();
		}, ms);
		timers.add(timer);
	}

	function openNext(show: Running): void {
		show.opened++;
		if (show.opened < show.tokens) later(show.everyMs, () => openNext(show));
	}

	async function reveal(contracts?: readonly string[]): Promise<void> {
		const wanted = running.filter(({ contract, isRevealed }) => {
			return !isRevealed && (contracts === undefined || contracts.includes(contract));
		});
		const sent: Hex[] = [];
		for (const show of wanted) {
			show.isRevealed = true;
			const { call }: RevealKind = revealKinds[show.kind];
			if (call === null) openNext(show);
			else {
				sent.push(await send({ to: show.contract, data: call(baseOf(show)) }));
			}
		}
		for (const hash of sent) await untilMined(rpc, hash);
	}

	function open(given: Opening): Promise<Show> {
		const asked = Opening.parse(given);
		// One after the other: each begins at the nonce where the one before it ended.
		const opened = opening.then(() => deploy(asked));
		opening = opened.catch(() => {});
		return opened.then((show) => {
			const { afterMs } = asked;
			const revealed = () => void reveal([show.contract]).catch(() => {});
			if (afterMs !== undefined) later(afterMs, revealed);
			return shown(show);
		});
	}

	async function control(request: Request, path: string): Promise<Response> {
		const body = request.method === "POST" ? await request.json().catch(() => null) : null;
		if (request.method === "GET") return Response.json({ reveals: running.map(shown) });
		if (path === "/_sandbox/reveals/now") {
			const now = Now.safeParse(body ?? {});
			if (!now.success) return Response.json({ detail: now.error.message }, { status: 400 });
			await reveal(now.data.contracts?.map((contract) => contract.toLowerCase()));
			return Response.json({ reveals: running.map(shown) });
		}
		const asked = Opening.safeParse(body);
		if (!asked.success) return Response.json({ detail: asked.error.message }, { status: 400 });
		return Response.json(await open(asked.data), { status: 201 });
	}

	return {
		url: origin,
		open,
		reveal,
		shows: () => running.map(shown),
		fault: (fault) => desk.add(StudioFault.parse(fault)),
		clearFaults: desk.clear,
		calls: desk.calls,
		async stop() {
			for (const timer of timers) clearTimeout(timer);
			desk.stop();
			await opening;
			await server.stop(true);
		},
	};
}

function shown({ contract, kind, tokens, isRevealed }: Running): Show {
	return { contract, kind, tokens, isRevealed };
}
