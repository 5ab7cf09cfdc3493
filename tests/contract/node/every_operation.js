// Calls every operation of azure-arm-scheduler, Azure's client for Node, and prints what each
// returned as one JSON object. Only what a user of Foliot changes is changed: the base URL, the
// credential, and by NODE_EXTRA_CA_CERTS the trusted authority.
"use strict";

const { createRequire } = require("node:module");

const requireInstalled = createRequire(`${process.cwd()}/`);
const SchedulerManagementClient = requireInstalled("azure-arm-scheduler");
const { TokenCredentials } = requireInstalled("ms-rest");
const moment = requireInstalled("moment");

const { url, token, subscription, start, target } = JSON.parse(process.argv[2]);
const GROUP = "finance";
const client = new SchedulerManagementClient(new TokenCredentials(token), subscription, url, {
  noRetryPolicy: true, // an answer that calls for a retry is a failure here
});
const { jobCollections, jobs } = client;
const returned = {};

async function keep(name, promise) {
  const value = await promise;
  // A list is an array with a property beside its items.
  returned[name] = Array.isArray(value) ? { items: [...value], nextLink: value.nextLink } : value;
  return value;
}

async function keepError(name, promise) {
  try {
    await promise;
    returned[name] = "no error";
  } catch (error) {
    returned[name] = { status: error.statusCode, code: error.code, message: error.message };
  }
}

function definition(action, more = {}) {
  return { properties: { startTime: new Date(start), action, ...more } };
}

const HTTP = {
  type: "Http",
  request: {
    uri: "https://ledger.invalid/close",
    method: "POST",
    headers: { "Content-Type": "text/plain" },
    body: "grüße",
    authentication: { type: "Basic", username: "clerk", password: "s3cret" },
  },
  retryPolicy: { retryType: "Fixed", retryInterval: moment.duration(90, "seconds"), retryCount: 3 },
  errorAction: {
    type: "StorageQueue",
    queueMessage: {
      storageAccount: "ledgers",
      queueName: "failed",
      sasToken: "sv=1&sig=s3cret",
      message: "<failed/>",
    },
    retryPolicy: { retryType: "None" },
  },
};
const STORAGE = {
  type: "StorageQueue",
  queueMessage: {
    storageAccount: "ledgers",
    queueName: "closing",
    sasToken: "sv=1&sig=s3cret",
    message: "<m/>",
  },
};
const BUS = {
  namespace: "ledger-bus",
  transportType: "NetMessaging",
  authentication: { sasKeyName: "send", sasKey: "s3cret", type: "SharedAccessKey" },
  message: "close",
};
const QUEUE = {
  type: "ServiceBusQueue",
  serviceBusQueueMessage: {
    ...BUS,
    queueName: "closing",
    brokeredMessageProperties: {
      label: "month",
      timeToLive: moment.duration({ days: 1, minutes: 10 }),
      forcePersistence: true,
    },
    customMessageProperties: { Tenant: "north" },
  },
};
const TOPIC = {
  type: "ServiceBusTopic",
  serviceBusTopicMessage: { ...BUS, transportType: "AMQP", topicPath: "ledger/closing" },
};
const LAST_FRIDAYS = {
  frequency: "Month",
  interval: 1,
  count: 12,
  schedule: {
    hours: [6],
    minutes: [30],
    monthlyOccurrences: [
      { day: "Friday", occurrence: -1 },
      { day: "Monday", occurrence: 2 },
    ],
  },
};

async function callCollections() {
  const collection = {
    location: "West Europe",
    tags: { team: "ledger" },
    properties: {
      sku: { name: "P20Premium" },
      quota: { maxJobCount: 500, maxRecurrence: { frequency: "Minute", interval: 1 } },
    },
  };
  await keep("collection created", jobCollections.createOrUpdate(GROUP, "ledger", collection));
  await keep("collection", jobCollections.get(GROUP, "ledger"));
  const patch = { properties: { quota: { maxJobCount: 400 } } };
  await keep("collection patched", jobCollections.patch(GROUP, "ledger", patch));
  await keep("collections of the subscription", jobCollections.listBySubscription());
  await keep("collections of the group", jobCollections.listByResourceGroup(GROUP));
  await keep("disabling", jobCollections.disable(GROUP, "ledger"));
  await keep("collection disabled", jobCollections.get(GROUP, "ledger"));
  await keep("enabling", jobCollections.enable(GROUP, "ledger"));
  await keep("collection enabled", jobCollections.get(GROUP, "ledger"));
}

async function callJobs() {
  const kinds = { http: HTTP, storage: STORAGE, queue: QUEUE, topic: TOPIC };
  for (const [name, action] of Object.entries(kinds)) {
    const more = name === "http" ? { recurrence: LAST_FRIDAYS } : {};
    const job = definition(action, more);
    await keep(`${name} job created`, jobs.createOrUpdate(GROUP, "ledger", name, job));
    await keep(`${name} job`, jobs.get(GROUP, "ledger", name));
  }
  const patch = { properties: { state: "Disabled" } };
  await keep("job patched", jobs.patch(GROUP, "ledger", "topic", patch));
  const filter = { filter: "state eq Disabled" };
  await keep("disabled jobs", jobs.list(GROUP, "ledger", filter));
  await keep("two jobs after the first", jobs.list(GROUP, "ledger", { top: 2, skip: 1 }));
  await keep("deleting a job", jobs.deleteMethod(GROUP, "ledger", "topic"));
  await keepError("job that was deleted", jobs.get(GROUP, "ledger", "topic"));
}

async function callPages() {
  await Promise.all(
    [...Array(110).keys()].map((number) => {
      const job = definition(STORAGE, { state: "Disabled" });
      return jobs.createOrUpdate(GROUP, "ledger", `many-${String(number).padStart(3, "0")}`, job);
    }),
  );
  const first = await jobs.list(GROUP, "ledger");
  const second = await jobs.listNext(first.nextLink);
  returned.pages = [first.length, second.length, second.nextLink ?? null];
  returned["names on the pages"] = [...first, ...second].map((job) => job.name);
}

async function callHistory() {
  const call = { type: "Http", request: { uri: target, method: "POST", body: "now" } };
  await keep("job to run", jobs.createOrUpdate(GROUP, "ledger", "called", definition(call)));
  await keep("running a job", jobs.run(GROUP, "ledger", "called"));
  let entries = [];
  const end = Date.now() + 30_000;
  while (entries.length === 0 && Date.now() < end) {
    entries = await jobs.listJobHistory(GROUP, "ledger", "called", { top: 5 });
  }
  await keep("history", entries);
  const failed = { filter: "status eq Failed" };
  await keep("failed history", jobs.listJobHistory(GROUP, "ledger", "called", failed));
}

async function callLast() {
  const wrong = definition({ type: "Http", request: { uri: "ledger", method: "POST" } });
  await keepError("refused job", jobs.createOrUpdate(GROUP, "ledger", "wrong", wrong));
  await keep("deleting the collection", jobCollections.deleteMethod(GROUP, "ledger"));
  await keepError("collection that was deleted", jobCollections.get(GROUP, "ledger"));
}

async function main() {
  await callCollections();
  await callJobs();
  await callPages();
  await callHistory();
  await callLast();
  process.stdout.write(JSON.stringify(returned));
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n${JSON.stringify(error)}\n`);
  process.exitCode = 1;
});
