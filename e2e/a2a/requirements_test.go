package a2a_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"
)

// A row is one requirement of the specification and the test that shows that it is met.
type row struct {
	test func(t *testing.T)
	not  string // why it does not apply; the test then shows that what it is about is not offered
}

// requirements are the rows, by the id of the specification's test kit.
var requirements = map[string]row{
	"CARD-DISC-001":   {test: cardIsThere},
	"CARD-PROTO-001":  {test: cardNamesBindings},
	"CARD-PROTO-002":  {test: interfacesAreWhatTheySay},
	"CARD-STRUCT-001": {test: cardIsWhole},
	"CARD-EXT-001":    {test: extendedCardAsksWho},
	"CARD-EXT-002":    {extendedCardIsThereWhereDeclared, "an extended card is declared only where there is one"},
	"CARD-SIGN-001":   {cardIsNotSigned, "cards are not signed"},
	"CARD-SIGN-002":   {cardIsNotSigned, "cards are not signed"},
	"CARD-SIGN-003":   {cardIsNotSigned, "cards are not signed"},
	"CARD-SIGN-004":   {signaturesProveNothing, "signatures are not verified: a card is pinned by its digest, and no key makes another one pass"},
	"CARD-CACHE-001":  {test: cardCanBeCached},
	"CARD-CACHE-002":  {test: cardCanBeCached},

	"AUTH-TLS-001":    {test: nothingInTheClear},
	"AUTH-SERVER-002": {test: everyRequestIsAuthenticated},
	"AUTH-INTASK-001": {test: personsAreAskedWithinATask},
	"AUTH-INTASK-002": {neverAuthRequired, "nothing is asked of the client: a person's decision is TASK_STATE_INPUT_REQUIRED"},
	"AUTH-INTASK-003": {test: personsAreAskedWithinATask},
	"AUTH-INTASK-004": {test: decisionsComeFromOutside},
	"AUTH-SCOPE-001":  {test: othersTasksAreNotThere},
	"AUTH-SCOPE-002":  {test: listsHoldOnesOwn},
	"AUTH-SCOPE-003":  {test: othersTasksLookLikeNone},

	"GRPC-SVC-001":  {noGRPC, "the gRPC binding is not offered"},
	"GRPC-SVC-002":  {noGRPC, "the gRPC binding is not offered"},
	"GRPC-SVC-003":  {noGRPC, "the gRPC binding is not offered"},
	"GRPC-META-001": {noGRPC, "the gRPC binding is not offered"},
	"GRPC-ERR-001":  {noGRPC, "the gRPC binding is not offered"},
	"GRPC-ERR-002":  {noGRPC, "the gRPC binding is not offered"},
	"GRPC-ERR-003":  {noGRPC, "the gRPC binding is not offered"},

	"HTTP_JSON-URL-001":    {test: pathsAreTheSpecifications},
	"HTTP_JSON-URL-002":    {test: verbsAreTheSpecifications},
	"HTTP_JSON-SVC-001":    {test: contentIsJSON},
	"HTTP_JSON-SVC-002":    {test: serviceParametersAreHeaders},
	"HTTP_JSON-QP-001":     {test: queryIsCamelCase},
	"HTTP_JSON-ERR-001":    {test: errorsAreWellFormed},
	"HTTP_JSON-ERR-002":    {test: errorsAreMapped},
	"HTTP_JSON-STATUS-001": {test: errorsAreMapped},
	"HTTP_JSON-SSE-001":    {test: streamsAreServerSentEvents},

	"JSONRPC-FMT-001": {test: requestsAreJSONRPC},
	"JSONRPC-FMT-002": {test: contentIsJSON},
	"JSONRPC-SVC-001": {test: methodsArePascalCase},
	"JSONRPC-SVC-002": {test: serviceParametersAreHeaders},
	"JSONRPC-ERR-001": {test: errorsAreWellFormed},
	"JSONRPC-ERR-002": {test: errorsAreMapped},
	"JSONRPC-ERR-003": {test: errorsAreMapped},
	"JSONRPC-SSE-001": {test: streamsAreServerSentEvents},
	"JSONRPC-SSE-002": {test: errorsAreMapped},

	"CORE-SEND-001":           {test: sendAnswersWithATask},
	"CORE-SEND-002":           {test: endedTasksTakeNoMessage},
	"CORE-SEND-003":           {test: unknownMediaIsRefused},
	"CORE-STREAM-001":         {test: streamsComeAsItHappens},
	"CORE-STREAM-002":         {streamsBeginWithTheTask, "a message is always answered with a task"},
	"CORE-STREAM-003":         {test: streamsBeginWithTheTask},
	"CORE-GET-001":            {test: getTellsTheState},
	"CORE-GET-002":            {test: unknownTasksAreNotFound},
	"CORE-LIST-001":           {test: listsHoldOnesOwn},
	"CORE-LIST-002":           {test: listsGoPageByPage},
	"CORE-LIST-003":           {test: listsAreNewestFirst},
	"CORE-LIST-004":           {test: listsGoPageByPage},
	"CORE-LIST-005":           {test: listsLeaveArtifactsOut},
	"CORE-CANCEL-001":         {test: cancelCancels},
	"CORE-CANCEL-002":         {test: endedTasksAreNotCanceled},
	"CORE-CANCEL-003":         {test: unknownTasksAreNotFound},
	"CORE-EXECUTION-MODE-001": {test: sendWaits},
	"CORE-EXECUTION-MODE-002": {test: sendNeedNotWait},
	"CORE-ERR-001":            {test: errorsSayWhatToDo},
	"CORE-ERR-002":            {test: parametersAreChecked},
	"CORE-CAP-001":            {test: noPush},
	"CORE-CAP-002":            {streamingIsDeclared, "streaming is declared, and there"},
	"CORE-CAP-003":            {test: noExtendedCardWithoutCallers},
	"CORE-CAP-004":            {noExtensionIsRequired, "no extension is required"},
	"CORE-MULTI-001a":         {test: contextsAreMadeUp},
	"CORE-MULTI-002a":         {test: contextsAreKept},
	"CORE-MULTI-003":          {test: tasksHaveIdsOfTheirOwn},
	"CORE-MULTI-004":          {test: messagesToNoTaskAreRefused},
	"CORE-MULTI-005":          {test: contextIsThatOfTheTask},
	"CORE-MULTI-006":          {test: contextsMustMatch},
	"CORE-HIST-001":           {test: historyIsBounded},
	"CORE-HIST-002":           {test: historyIsBounded},
	"CORE-HIST-003":           {test: historyIsBounded},
	"CORE-HIST-004":           {test: historyHoldsTheMessage},
	"CORE-HIST-006":           {test: historyHoldsTheMessage},

	"DM-TASK-001":   {test: objectsAreWhole},
	"DM-TASK-002":   {test: objectsAreWhole},
	"DM-MSG-001":    {test: objectsAreWhole},
	"DM-MSG-002":    {test: objectsAreWhole},
	"DM-PART-001":   {test: partsHoldOneThing},
	"DM-ART-001":    {test: objectsAreWhole},
	"DM-STATUS-001": {test: objectsAreWhole},
	"DM-SERIAL-001": {test: objectsAreWhole},
	"DM-SERIAL-002": {test: objectsAreWhole},
	"DM-SERIAL-003": {test: objectsAreWhole},
	"DM-SERIAL-004": {test: objectsAreWhole},
	"DM-SERIAL-005": {test: unknownFieldsAreIgnored},

	"BIND-EQUIV-001": {test: bindingsDoTheSame},
	"BIND-EQUIV-002": {test: bindingsTellTheSame},
	"BIND-EQUIV-003": {test: errorsAreMapped},
	"BIND-EQUIV-004": {test: everyRequestIsAuthenticated},
	"BIND-FIELD-001": {test: cardNamesBindings},

	"PUSH-CREATE-001":  {noPush, "push notifications are not declared"},
	"PUSH-CREATE-002":  {noPush, "push notifications are not declared"},
	"PUSH-GET-001":     {noPush, "push notifications are not declared"},
	"PUSH-GET-002":     {noPush, "push notifications are not declared"},
	"PUSH-LIST-001":    {noPush, "push notifications are not declared"},
	"PUSH-DEL-001":     {noPush, "push notifications are not declared"},
	"PUSH-DEL-002":     {noPush, "push notifications are not declared"},
	"PUSH-DELIVER-001": {noPush, "push notifications are not declared"},
	"PUSH-DELIVER-002": {noPush, "push notifications are not declared"},
	"PUSH-DELIVER-003": {noPush, "push notifications are not declared"},

	"STREAM-ORDER-001": {test: streamsTellTheSame},
	"STREAM-ORDER-002": {test: streamsTellTheSame},
	"STREAM-ORDER-003": {test: streamsTellTheSame},
	"STREAM-ORDER-004": {test: streamsTellTheSame},
	"STREAM-SUB-001":   {test: subscriptionsBeginWithTheTask},
	"STREAM-SUB-002":   {test: subscriptionsEndWithTheTask},
	"STREAM-SUB-003":   {test: endedTasksHaveNoStream},
	"STREAM-SUB-004":   {test: unknownTasksAreNotFound},

	"VER-CLIENT-001": {test: workersSendTheVersion},
	"VER-CLIENT-002": {test: patchNumbersDoNotCount},
	"VER-SERVER-001": {test: versionsAreHeldTo},
	"VER-SERVER-002": {test: versionsAreHeldTo},
	"VER-SERVER-003": {test: noVersionIsAnOldOne},
}

// TestRequirements runs every row's test under its requirement's id.
func TestRequirements(t *testing.T) {
	for _, id := range slices.Sorted(maps.Keys(requirements)) {
		t.Run(id, func(t *testing.T) {
			if why := requirements[id].not; why != "" {
				t.Log("it does not apply: " + why)
			}
			requirements[id].test(t)
		})
	}
}

// TestEveryMUSTHasARow holds the table to the specification's own list.
func TestEveryMUSTHasARow(t *testing.T) {
	path := data("requirements-1.0.json")
	if path == "" {
		t.Skip("the specification's list of requirements is not at hand")
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var listed []struct{ ID, Level string }
	if err := json.Unmarshal(b, &listed); err != nil {
		t.Fatal(err)
	}
	known, must := map[string]bool{}, 0
	for _, r := range listed {
		known[r.ID] = true
		if r.Level == "MUST" {
			must++
		}
		if row, ok := requirements[r.ID]; r.Level == "MUST" && (!ok || row.test == nil) {
			t.Errorf("%s is a MUST and has no test", r.ID)
		}
	}
	for id := range requirements {
		if !known[id] {
			t.Errorf("%s is no requirement", id)
		}
	}
	if must != 114 {
		t.Errorf("the list holds %d MUSTs, 114 were expected", must)
	}
}
