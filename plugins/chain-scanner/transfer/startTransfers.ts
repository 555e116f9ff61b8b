import type { Head } from "#core/chain/heads/Head.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { ChainAccess } from "#core/plugin/Core.ts";
import { sleep } from "#core/time.ts";
import type { LaneOptions } from "#plugins/chain-scanner/lane/model.ts";
import { startLane } from "#plugins/chain-scanner/lane/startLane.ts";
import {
	LANE_TIMES,
	type LaneTimes,
	UNWATCHED_STRIDE_BLOCKS,
} from "#plugins/chain-scanner/limits.ts";
import { byDistance } from "#plugins/chain-scanner/range/sources.ts";
import type { UndecodedReport } from "#plugins/chain-scanner/range/undecodedReport.ts";
import { startWalks } from "#plugins/chain-scanner/transfer/startWalks.ts";
import {
	type TransferSource,
	transferSource,
} from "#plugins/chain-scanner/transfer/transferSource.ts";
import type { WalkOptions } from "#plugins/chain-scanner/transfer/walkWindow.ts";

export type Transfers = {
	/** Reads what is owed below the lane. */
	owed: TransferSource;
	offerHead(head: Head): void;
	/** Resolves when the signal aborted and nothing is under way any more. */
	done: Promise<unknown>;
};

export type TransfersOptions = Omit<LaneOptions, "source" | "scanFrom" | "times"> &
	Pick<WalkOptions, "ownership"> & {
		access: Pick<ChainAccess, "rpcFor">;
		report: UndecodedReport;
		times?: Partial<LaneTimes>;
		onWalkFailure(code: string): void;
	};

/**
 * Starts everything that keeps a chain's owners: the transfer lane for present moves, walks for the
 * past. The lane begins at the head wherever other lanes begin: the rest is read by walks.
 *
 * While nothing is watched the lane gets a head only now and then: a lane without work must not
 * take the chain's lock at every block.
 */
export function startTransfers(options: TransfersOptions): Transfers {
	const { chainId, ownership, signal } = options;
	const times = { ...LANE_TIMES, ...options.times };
	let isWatching = true;
	let newest: Head | null = null;
	let offered: Head | null = null;
	const watchedNow = async () => {
		const watched = await ownership.watched(chainId);
		isWatching = watched.length > 0;
		return watched;
	};
	const make = (rpc: Rpc) => transferSource(rpc, options.report, watchedNow);
	const source = byDistance(options.access, make);
	const rpc = options.access.rpcFor("backfill");
	const owed = make(rpc);
	const lane = startLane({ ...options, source, scanFrom: null });
	const offer = () => {
		if (!newest || newest === offered) return;
		const strides = Math.abs(newest.number - (offered?.number ?? Number.NEGATIVE_INFINITY));
		if (!isWatching && strides < UNWATCHED_STRIDE_BLOCKS) return;
		offered = newest;
		lane.offerHead(newest);
	};
	/** Checks whether another process has begun to watch. */
	const look = async () => {
		while (!signal.aborted) {
			await sleep(times.walkChooseMs, signal);
			if (isWatching || signal.aborted) continue;
			await watchedNow().then(offer, () => {});
		}
	};
	const walks = startWalks({
		...options,
		rpc,
		source: owed,
		times,
		onWatched() {
			isWatching = true;
			offer();
		},
		onFailure: options.onWalkFailure,
	});
	return {
		owed,
		offerHead(head) {
			newest = head;
			offer();
		},
		done: Promise.all([lane.done, walks, look()]),
	};
}
