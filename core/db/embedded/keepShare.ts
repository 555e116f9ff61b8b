import type { Layout } from "#core/db/embedded/chooseLayout.ts";
import { keepProcessAlive } from "#core/db/embedded/keepProcessAlive.ts";
import { leaveServer } from "#core/db/embedded/leaveServer.ts";
import type { Share } from "#core/db/embedded/startOrJoin.ts";
import type { Log } from "#core/log/Log.ts";

const RETURNS_MAX = 20;
const RETURN_PAUSE_MS = 100;
const RETURN_PAUSE_MAX_MS = 10_000;

/**
 * Keeps a share for as long as the process wants it, even if the server dies meanwhile.
 *
 * A lost connection means that the server crashed, or was killed; a lost watchdog, that nothing
 * would stop it after us. In both cases `obtain` starts, joins or adopts it again, behind the same
 * socket, so that pools find it.
 *
 * @returns the function that gives the share back.
 */
export function keepShare(options: {
	first: Share;
	layout: Layout;
	log: Log;
	obtain: () => Promise<Share>;
}): () => Promise<void> {
	let share = options.first;
	let returning: Promise<void> | undefined;
	let closing: Promise<void> | undefined;

	const watch = (watched: Share) => {
		// A process with nothing else to do may end; the share ends with it.
		keepProcessAlive(watched.client, false);
		const lost = (what: string) => {
			if (closing || returning || share !== watched) return;
			returning = comeBack(what).finally(() => {
				returning = undefined;
			});
		};
		watched.client.once("end", () => lost("server"));
		void watched.watchdog?.ended.then(() => lost("watchdog"));
	};
	async function comeBack(lost: string): Promise<void> {
		options.log.error("the embedded PostgreSQL was lost and is taken up again", { lost });
		const before = share;
		before.watchdog?.letGo();
		for (let attempt = 0; attempt < RETURNS_MAX && !closing; attempt += 1) {
			try {
				share = await options.obtain();
				void before.client.end().catch(() => {});
				options.log.info("the embedded PostgreSQL is back", { how: share.how });
				return watch(share);
			} catch (cause) {
				options.log.error("the embedded PostgreSQL is not back yet", { attempt, cause });
				await Bun.sleep(Math.min(RETURN_PAUSE_MS * 2 ** attempt, RETURN_PAUSE_MAX_MS));
			}
		}
	}
	async function leave(): Promise<void> {
		await returning;
		keepProcessAlive(share.client, true);
		await leaveServer(share, options.layout);
	}
	watch(share);
	return () => {
		closing ??= leave();
		return closing;
	};
}
