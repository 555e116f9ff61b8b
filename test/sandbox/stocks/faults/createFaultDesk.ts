import type { z } from "zod";
import { type Calls, createCallLog } from "../../provider/faults/callLog.ts";
import type { Fault } from "../../provider/faults/Fault.ts";
import { spoil } from "../../provider/faults/spoil.ts";

/** The faults of any HTTP server; each emulator has more of its own. */
export const TRANSPORT_KINDS = [
	...(["429", "500", "html", "silence", "slow", "huge", "wrong_types", "truncated"] as const),
] satisfies Fault["kind"][];

type AnyFault = { kind: string; path?: string | undefined; times?: number | undefined };

export type FaultDesk<One extends AnyFault> = {
	add(fault: One): void;
	clear(): void;
	/** Returns the faults of a kind for a path (`/quote`), and counts each as used. */
	take<Kind extends One["kind"]>(path: string, kind: Kind): Extract<One, { kind: Kind }>[];
	/** Returns whether a fault of this kind is ordered. */
	has(kind: One["kind"]): boolean;
	calls(): Calls;
	/** Logs the call, and answers it correctly or with the ordered fault. */
	serve(request: Request, answer: (url: URL) => Promise<Response>): Promise<Response>;
	stop(): void;
};

const FAULTS_MAX = 1_000;

/** Makes the list of ordered faults, filled by calls and at `/_sandbox/faults`. */
export function createFaultDesk<One extends AnyFault>(schema: z.ZodType<One>): FaultDesk<One> {
	const log = createCallLog();
	const stopping = new AbortController();
	let faults: { fault: One; left: number }[] = [];
	const all = () => {
		return faults.map(({ fault, left }) =>
			Number.isFinite(left) ? { ...fault, times: left } : fault,
		);
	};
	function add(fault: One): void {
		if (faults.length < FAULTS_MAX) {
			faults.push({ fault, left: fault.times ?? Number.POSITIVE_INFINITY });
		}
	}
	function take(fits: (fault: One) => boolean): One[] {
		const taken = faults.filter(({ fault }) => fits(fault));
		for (const entry of taken) entry.left -= 1;
		faults = faults.filter(({ left }) => left > 0);
		return taken.map(({ fault }) => fault);
	}
	async function control(request: Request, path: string): Promise<Response> {
		switch (`${request.method} ${path}`) {
			case "POST /_sandbox/faults": {
				const order = schema.safeParse(await request.json().catch(() => null));
				if (!order.success) return Response.json({ detail: order.error.message }, { status: 400 });
				add(order.data);
				return Response.json({ faults: all() });
			}
			case "DELETE /_sandbox/faults":
				faults = [];
				return Response.json({ faults: [] });
			case "GET /_sandbox/faults":
				return Response.json({ faults: all() });
			case "GET /_sandbox/calls":
				return Response.json(log.read());
			case "DELETE /_sandbox/calls":
				log.clear();
				return Response.json(log.read());
			default:
				return Response.json({ detail: "Not found" }, { status: 404 });
		}
	}
	return {
		add: (fault) => add(schema.parse(fault)),
		clear: () => {
			faults = [];
		},
		take: (path, kind) => take((fault) => fault.kind === kind && meets(fault, path)) as never,
		has: (kind) => faults.some(({ fault }) => fault.kind === kind),
		calls: log.read,
		async serve(request, answer) {
			const url = new URL(request.url);
			if (url.pathname.startsWith("/_sandbox/")) return await control(request, url.pathname);
			log.note(request.method, url);
			const first = faults.find(({ fault }) => isTransport(fault) && meets(fault, url.pathname));
			const [fault] = take((one) => one === first?.fault);
			if (!fault || !isTransport(fault)) return await answer(url);
			const signal = AbortSignal.any([request.signal, stopping.signal]);
			return await spoil(fault, signal, () => answer(url));
		},
		stop: () => stopping.abort(),
	};
}

function isTransport(fault: AnyFault): fault is Fault {
	return TRANSPORT_KINDS.some((kind) => kind === fault.kind);
}

function meets({ path = "" }: AnyFault, asked: string): boolean {
	return new RegExp(path).test(asked);
}
