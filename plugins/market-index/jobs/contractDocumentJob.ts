import type { NewJob } from "#core/queue/JobQueue.ts";

export const CONTRACT_DOCUMENT_TASK = "market-index.contract-document";

/** After names and figures. */
const LOW_PRIORITY = 10;

/** Returns the job that reads what a `contractURI` points to. */
export function contractDocumentJob(collectionId: number, uri: string): NewJob {
	return {
		task: CONTRACT_DOCUMENT_TASK,
		payload: { collectionId, uri },
		key: `${CONTRACT_DOCUMENT_TASK}:${collectionId}`,
		priority: LOW_PRIORITY,
	};
}
