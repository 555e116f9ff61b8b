import { banner } from "#api/cli/banner.ts";
import { reportFailure } from "#api/cli/reportFailure.ts";
import { untilStopped } from "#api/cli/untilStopped.ts";
import { startService } from "#api/service/startService.ts";
import { systemClock } from "#core/clock/systemClock.ts";
import type { Environment } from "#core/config/readEnvironment.ts";

/** Longer than the service's own drain, so it is only reached when something hangs. */
const STOP_TIMEOUT_MS = 40_000;

type Around = {
	/** Ends what was started for the service, after it. */
	stopAlso?: () => Promise<void>;
	/** Lines of the banner's own manner about that, by where the service is. */
	more?: (url: string) => readonly string[];
	/** Tells it where the service is: its port may be new at each start. */
	onUp?: (url: string) => void;
};

/**
 * Runs the service in the foreground until a signal. The banner goes to stderr: stdout holds the
 * log and nothing else.
 */
export async function serve(env: Environment, around: Around = {}): Promise<number> {
	const { stopAlso = async () => {}, more = () => [], onUp = () => {} } = around;
	const beganMs = systemClock.nowMs();
	try {
		const service = await startService({ env });
		onUp(service.url);
		// Before the banner: whoever reads that we are up may already tell us to end.
		const stopped = untilStopped(async () => {
			process.stderr.write("\nstopping …\n");
			await service.stop();
			await stopAlso();
			process.stderr.write("stopped\n");
		}, STOP_TIMEOUT_MS);
		const tookMs = systemClock.nowMs() - beganMs;
		process.stderr.write(banner(service, { tookMs, more: more(service.url) }));
		await stopped;
		return 0;
	} catch (error) {
		const code = reportFailure(error, env);
		await stopAlso();
		return code;
	}
}
