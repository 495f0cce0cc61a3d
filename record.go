package chargehand

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"time"
)

// TimeLayout is how a record writes its time: RFC 3339 in UTC, always six decimals.
const TimeLayout = "2006-01-02T15:04:05.000000Z"

// Type is the fact's stable name, such as "run_started"; empty for a fact outside the closed set.
func (r Record) Type() string { return factNames[reflect.TypeOf(r.Fact)] }

// MarshalJSON writes {"run","seq","at","type","data"}, in that order.
func (r Record) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil) }

// AppendJSON appends the record as one line of JSON, without a line break, to dst. Unlike
// json.Marshal it leaves raw JSON inside a fact as it is, apart from white space between tokens.
func (r Record) AppendJSON(dst []byte) ([]byte, error) {
	name := r.Type()
	if name == "" {
		return dst, fmt.Errorf("record %d of run %q: %T is not a fact that can be written", r.Seq, r.Run, r.Fact)
	}
	out := sink(dst)
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	out = append(out, `{"run":`...)
	if err := out.encode(enc, r.Run); err != nil {
		return dst, err
	}
	out = append(out, `,"seq":`...)
	out = strconv.AppendInt(out, r.Seq, 10)
	out = append(out, `,"at":"`...)
	out = r.At.UTC().AppendFormat(out, TimeLayout)
	out = append(out, `","type":"`...)
	out = append(out, name...)
	out = append(out, `","data":`...)
	if err := out.encode(enc, r.Fact); err != nil {
		return dst, fmt.Errorf("write %s: %w", name, err)
	}
	return append(out, '}'), nil
}

// A sink collects what an encoder writes.
type sink []byte

func (s *sink) Write(b []byte) (int, error) {
	*s = append(*s, b...)
	return len(b), nil
}

func (s *sink) encode(enc *json.Encoder, v any) error {
	if err := enc.Encode(v); err != nil {
		return err
	}
	*s = (*s)[:len(*s)-1] // the encoder's line break
	return nil
}

// UnmarshalJSON reads what MarshalJSON wrote. A type this program does not know is an *Error of
// CodeFormat: it was written by a newer one.
func (r *Record) UnmarshalJSON(b []byte) error {
	var line struct {
		Run  string          `json:"run"`
		Seq  int64           `json:"seq"`
		At   time.Time       `json:"at"`
		Type string          `json:"type"`
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(b, &line); err != nil {
		return fmt.Errorf("read record: %w", err)
	}
	decode := factDecoders[line.Type]
	if decode == nil {
		return &Error{
			Code: CodeFormat,
			What: fmt.Sprintf("record %d of run %q cannot be read", line.Seq, line.Run),
			Why:  fmt.Sprintf("its type %q is not known to this version of chargehand", line.Type),
			Next: "use the version of chargehand that wrote it, or a newer one",
		}
	}
	fact, err := decode(line.Data)
	if err != nil {
		return fmt.Errorf("read %s, record %d of run %q: %w", line.Type, line.Seq, line.Run, err)
	}
	*r = Record{line.Run, line.Seq, line.At.UTC(), fact}
	return nil
}

// A factKind ties a fact's stable name to its Go type.
type factKind struct {
	name   string
	typ    reflect.Type
	decode func([]byte) (Fact, error)
}

func kind[T Fact](name string) factKind {
	return factKind{name, reflect.TypeFor[T](), func(b []byte) (Fact, error) {
		var f T
		err := json.Unmarshal(b, &f)
		return f, err
	}}
}

// factKinds is the closed set. A name is part of the journal's format and never changes.
var factKinds = []factKind{
	kind[RunStarted]("run_started"),
	kind[PlanAsked]("plan_asked"),
	kind[PlanRefused]("plan_refused"),
	kind[PlanAdopted]("plan_adopted"),
	kind[SubtasksPlanned]("subtasks_planned"),
	kind[SubtasksQueued]("subtasks_queued"),
	kind[AttemptStarted]("attempt_started"),
	kind[AttemptResumed]("attempt_resumed"),
	kind[OutputChecked]("output_checked"),
	kind[AttemptFailed]("attempt_failed"),
	kind[AttemptStopped]("attempt_stopped"),
	kind[LateResult]("late_result"),
	kind[JudgeAsked]("judge_asked"),
	kind[Judged]("judged"),
	kind[JudgeFailed]("judge_failed"),
	kind[RetryPlanned]("retry_planned"),
	kind[SubtaskEnded]("subtask_ended"),
	kind[ReviewOpened]("review_opened"),
	kind[ReviewDecided]("review_decided"),
	kind[InputRefused]("input_refused"),
	kind[BudgetLow]("budget_low"),
	kind[AggregateAsked]("aggregate_asked"),
	kind[Aggregated]("aggregated"),
	kind[ResultAsked]("result_asked"),
	kind[RunEnded]("run_ended"),
	kind[PauseBegan]("pause_began"),
	kind[PauseEnded]("pause_ended"),
	kind[RunStopping]("run_stopping"),
	kind[Recovered]("recovered"),

	kind[WorkersRegistered]("workers_registered"),
	kind[LeaseGranted]("lease_granted"),
	kind[LeaseFreed]("lease_freed"),
	kind[BreakerMoved]("breaker_moved"),
	kind[HealthChanged]("health_changed"),
	kind[InstanceSpawned]("instance_spawned"),
	kind[SpawnAsked]("spawn_asked"),
	kind[SpawnFailed]("spawn_failed"),
	kind[InstanceRetired]("instance_retired"),
	kind[WorkerDrained]("worker_drained"),
	kind[Alerted]("alerted"),
	kind[FleetRebased]("fleet_rebased"),
}

var factNames, factDecoders = indexFacts(factKinds)

func indexFacts(kinds []factKind) (map[reflect.Type]string, map[string]func([]byte) (Fact, error)) {
	names := make(map[reflect.Type]string, len(kinds))
	decoders := make(map[string]func([]byte) (Fact, error), len(kinds))
	for _, k := range kinds {
		names[k.typ], decoders[k.name] = k.name, k.decode
	}
	return names, decoders
}
