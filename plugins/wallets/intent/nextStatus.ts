import type { IntentEvent, IntentStatus } from "#plugins/wallets/intent/IntentStatus.ts";
import { intentMachine } from "#plugins/wallets/intent/intentMachine.ts";

/** Where the event leads from there; null where the machine knows no such move. */
export function nextStatus(from: IntentStatus, event: IntentEvent): IntentStatus | null {
	return intentMachine[from][event] ?? null;
}
