package tlcbatch_test
import ("testing";"fmt";"time"
"github.com/viewstamp/viewstamp/model/tlc"
"github.com/viewstamp/viewstamp/traces"
"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
"github.com/viewstamp/viewstamp/impl/sim"
"github.com/viewstamp/viewstamp/traces/conform"
"github.com/viewstamp/viewstamp/traces/conform/tlcbatch")
func TestTry(t *testing.T){
 tools, err := tlc.Locate(t.Context()); if err!=nil {t.Fatal(err)}
 var all []*traces.Trace
 levels := []sim.Faults{sim.FaultsNone, sim.FaultsLight, sim.FaultsHeavy, sim.FaultsSwarm}
 n:=0
 for seed:=uint64(1); seed<=20; seed++ {
  tr,_,err := verify.Record(sim.Options{Seed:seed,Ticks:400,Replicas:3,Faults:levels[seed%4]}); if err!=nil {t.Fatal(err)}
  if len(tr.Events)==0 {continue}
  all=append(all,tr); n+=len(tr.Events)
 }
 b:=time.Now()
 r,err:=tlcbatch.Check(t.Context(),tools,all)
 fmt.Println(n, time.Since(b)); if err!=nil {t.Fatal(err)}
 fmt.Println(r.Distinct,r.CPUSeconds)
 for i,v:=range r.Verdicts { rep,_:=conform.Trace(all[i]); fmt.Println(all[i].Header.Seed,len(all[i].Events),v,rep.Passed()) }
}
